import { describe, expect, it } from 'vitest';
import { recordAiSession } from './sessions.ts';

describe('the tokens of a session', () => {
  const sum = 'must be at least inputTokens + outputTokens';
  it.each([
    ['less than its parts', { totalTokens: 9, inputTokens: 5, outputTokens: 5 }, [['totalTokens', sum]]],
    ['a negative total', { totalTokens: -1 }, [['totalTokens', expect.not.stringContaining(sum)]]],
    ['a part that is too large', { totalTokens: 9, inputTokens: 1e12 }, [['inputTokens', expect.any(String)]]],
  ])('%s: refused for that and nothing else', (_, tokens, faults) => {
    const { error } = recordAiSession.input.safeParse({ workItemId: 'W-T-1', model: 'gpt-5', ...tokens });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual(faults);
  });
});
