import { parseConfig } from '@worktrack/runtime/process/config';
import { expect, test } from 'vitest';
import { promptModel, promptSettings } from './settings.ts';

function configured(environment: Record<string, string>) {
  const parsed = parseConfig(promptSettings, environment);
  if ('problems' in parsed) throw new Error(parsed.problems.join());
  return promptModel(parsed.settings);
}

test('with nothing configured there is no model: prompts come from the template', () => {
  expect(configured({})).toBeUndefined();
});

test('a model has the address of its provider unless another is given', () => {
  expect(configured({ PROMPT_PROVIDER: 'anthropic', PROMPT_MODEL: 'm' })?.baseUrl).toBe('https://api.anthropic.com');
  expect(configured({ PROMPT_PROVIDER: 'openai', PROMPT_MODEL: 'm' })?.baseUrl).toBe('https://api.openai.com/v1');
  const own = { PROMPT_PROVIDER: 'openai', PROMPT_MODEL: 'm', PROMPT_BASE_URL: 'http://localhost:11434/v1/' };
  expect(configured(own)?.baseUrl).toBe('http://localhost:11434/v1');
});

test.each([
  [{ PROMPT_PROVIDER: 'openai' }, /^PROMPT_MODEL: /],
  [{ PROMPT_MODEL: 'm' }, /^PROMPT_PROVIDER: /],
  [{ PROMPT_PROVIDER: 'gemini', PROMPT_MODEL: 'm' }, /^PROMPT_PROVIDER: /],
  [{ PROMPT_PROVIDER: 'openai', PROMPT_MODEL: 'm', PROMPT_BASE_URL: 'ftp://host' }, /^PROMPT_BASE_URL: /],
  [{ PROMPT_PROVIDER: 'openai', PROMPT_MODEL: 'm', PROMPT_TIMEOUT_MS: '5' }, /^PROMPT_TIMEOUT_MS: /],
])('%j stops the start with the name of the variable', (environment, message) => {
  expect(() => configured(environment as Record<string, string>)).toThrow(message);
});
