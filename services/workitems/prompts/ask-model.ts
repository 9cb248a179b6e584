import type { Fail } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import { timeoutBy } from '@worktrack/runtime/process/timeout';
import { z } from 'zod';
import type { PromptModel } from './settings.ts';

/** Far above what PROMPT_MAX_OUTPUT_TOKENS can be; an endless response must not fill the memory. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const LOGGED_CHARACTERS = 1_000;
const ANTHROPIC_VERSION = '2023-06-01';
const DEFAULT_RETRY_AFTER_SECONDS = 5;
const MAX_RETRY_AFTER_SECONDS = 300;
const TOO_MANY_REQUESTS = 429;

export interface Question {
  /** The service's instructions. */
  readonly instructions: string;
  /** The material. */
  readonly material: string;
}

interface Context {
  readonly fail: Fail<'UNAVAILABLE' | 'DEADLINE_EXCEEDED'>;
  readonly log: Log;
}

/** The content of a response body, whatever the protocol. */
interface Reading {
  readonly text: string;
  /** `complete`, or the protocol's term for why the text ends early. */
  readonly ended: string;
}

/**
 * Calls the model once. One plain POST per protocol, without streaming: a library for it would be larger than the rest of the service.
 * Anything but a complete response is an error that says what to do; the endpoint's own message goes only to the log.
 * @param deadlineAtMs when the response must have arrived (`Date.now()`), in addition to the configured timeout
 */
export async function askModel(
  model: PromptModel,
  question: Question,
  deadlineAtMs: number,
  { fail, log }: Context,
): Promise<string> {
  const protocol = PROTOCOLS[model.protocol];
  const request = protocol.request(model, question);
  const signal = timeoutBy(deadlineAtMs, model.timeoutMs);
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${model.baseUrl}${protocol.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
      // A redirect would send the key to wherever it points.
      redirect: 'error',
      signal,
    });
    body = await readText(response);
  } catch (error) {
    log.warn({ error, model: model.model }, 'The prompt model did not answer');
    if (signal.aborted) {
      throw fail(
        'DEADLINE_EXCEEDED',
        `The model did not write the prompt in time. Nothing was saved; try again later.`,
      );
    }
    throw fail('UNAVAILABLE', 'The model that writes prompts cannot be reached. Nothing was saved; try again later.', {
      retryAfterSeconds: DEFAULT_RETRY_AFTER_SECONDS,
    });
  }

  if (!response.ok) {
    log.warn({ status: response.status, body: excerpt(body, model), model: model.model }, 'The prompt model refused');
    throw refusal(response, fail);
  }
  const outcome = protocol.outcome(body);
  if (!outcome) {
    log.warn({ body: excerpt(body, model), model: model.model }, 'The prompt model answered something else');
    throw fail(
      'UNAVAILABLE',
      'The model endpoint answered in a format other than its protocol’s. Nothing was saved; the operator has to check PROMPT_PROVIDER and PROMPT_BASE_URL.',
    );
  }
  if (outcome.ended === 'too long') {
    throw fail(
      'UNAVAILABLE',
      'The model’s prompt was cut off at its output token limit. Nothing was saved; the operator has to raise that limit (PROMPT_MAX_OUTPUT_TOKENS, or the endpoint’s own).',
    );
  }
  if (outcome.ended !== 'complete' || outcome.text.trim() === '') {
    log.warn({ ended: outcome.ended, model: model.model }, 'The prompt model wrote no prompt');
    throw fail('UNAVAILABLE', 'The model declined to write a prompt. Nothing was saved; reword the item or try again.');
  }
  return outcome.text.trim();
}

/** For the log. Endpoints and proxies echo the key in their error messages. */
function excerpt(body: string, { apiKey }: PromptModel): string {
  return (apiKey ? body.replaceAll(apiKey, '[redacted]') : body).slice(0, LOGGED_CHARACTERS);
}

function refusal(response: Response, fail: Context['fail']): Error {
  if (response.status === TOO_MANY_REQUESTS || response.status >= 500) {
    return fail(
      'UNAVAILABLE',
      `The model is overloaded (HTTP ${response.status}). Nothing was saved; try again later.`,
      {
        retryAfterSeconds: retryAfterSeconds(response.headers.get('retry-after')),
      },
    );
  }
  return fail(
    'UNAVAILABLE',
    `The model endpoint refused the request (HTTP ${response.status}). Nothing was saved; the operator has to check PROMPT_API_KEY, PROMPT_MODEL and PROMPT_BASE_URL.`,
  );
}

function retryAfterSeconds(header: string | null): number {
  const seconds = Number(header);
  return header && seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : DEFAULT_RETRY_AFTER_SECONDS;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`The answer is larger than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Protocol {
  readonly path: string;
  request(model: PromptModel, question: Question): { headers: Record<string, string>; body: object };
  /** undefined if the body does not follow this protocol. */
  outcome(body: string): Reading | undefined;
}

const OpenAiAnswer = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }))
    .min(1),
});

const AnthropicAnswer = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
});

const PROTOCOLS: Readonly<Record<PromptModel['protocol'], Protocol>> = {
  /** https://platform.openai.com/docs/api-reference/chat/create */
  openai: {
    path: '/chat/completions',
    // No token limit: its field is `max_tokens` for some servers and models and `max_completion_tokens` for others.
    request: ({ model, apiKey }, { instructions, material }) => ({
      headers: keyHeader('authorization', apiKey && `Bearer ${apiKey}`),
      body: {
        model,
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: material },
        ],
      },
    }),
    outcome(body) {
      const choice = OpenAiAnswer.safeParse(parseJson(body)).data?.choices[0];
      if (!choice) return undefined;
      const ended = choice.finish_reason ?? 'stop';
      return {
        text: choice.message.content ?? '',
        ended: ended === 'stop' ? 'complete' : ended === 'length' ? 'too long' : ended,
      };
    },
  },
  /** https://docs.claude.com/en/api/messages */
  anthropic: {
    path: '/v1/messages',
    request: ({ model, apiKey, maxOutputTokens }, { instructions, material }) => ({
      headers: { 'anthropic-version': ANTHROPIC_VERSION, ...keyHeader('x-api-key', apiKey) },
      body: {
        model,
        max_tokens: maxOutputTokens,
        system: instructions,
        messages: [{ role: 'user', content: material }],
      },
    }),
    outcome(body) {
      const answer = AnthropicAnswer.safeParse(parseJson(body)).data;
      if (!answer) return undefined;
      const ended = answer.stop_reason ?? 'end_turn';
      return {
        text: answer.content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join(''),
        ended:
          ended === 'end_turn' || ended === 'stop_sequence' ? 'complete' : ended === 'max_tokens' ? 'too long' : ended,
      };
    },
  },
};

function keyHeader(name: string, value: string | undefined): Record<string, string> {
  return value ? { [name]: value } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
