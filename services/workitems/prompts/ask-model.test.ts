import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import { afterEach, describe, expect, test } from 'vitest';
import { askModel } from './ask-model.ts';
import type { PromptModel } from './settings.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const context = {
  log: silent,
  fail: (...of: ConstructorParameters<typeof OperationError>) => new OperationError(...of),
};
const question = { instructions: 'Write the prompt.', material: '{"workItem":{}}' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server on the loopback address that says what the test tells it to. */
async function endpoint(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const model = (protocol: PromptModel['protocol'], baseUrl: string, timeoutMs = 5_000): PromptModel => ({
  protocol,
  baseUrl,
  model: 'the-model',
  apiKey: 'the-key',
  timeoutMs,
  maxOutputTokens: 1_000,
});
const inTime = () => Date.now() + 10_000;

async function received(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return { method: request.method, url: request.url, headers: request.headers, body: JSON.parse(text) };
}

function answering(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const openAi = (content: string | null, finish_reason = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'the-model',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const anthropic = (text: string, stop_reason = 'end_turn') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'the-model',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'x' },
    { type: 'text', text },
  ],
  stop_reason,
  usage: { input_tokens: 10, output_tokens: 5 },
});
const PROTOCOLS = [
  ['openai', openAi, 'length', 'content_filter'],
  ['anthropic', anthropic, 'max_tokens', 'refusal'],
] as const;

test('a prompt that waited for its turn is written: its deadline is a fraction of a millisecond', async () => {
  const url = await endpoint(answering(200, openAi('# Goal')));
  const deadlineAtMs = Math.floor(Date.now()) + 10_000.5;
  expect(await askModel(model('openai', url, 20_000), question, deadlineAtMs, context)).toBe('# Goal');
});

test('an OpenAI-compatible endpoint is asked through its chat completions, with the key as bearer token', async () => {
  let seen: Awaited<ReturnType<typeof received>> | undefined;
  const url = await endpoint(async (request, response) => {
    seen = await received(request);
    answering(200, openAi('# Goal'))(request, response);
  });
  expect(await askModel(model('openai', `${url}/v1`), question, inTime(), context)).toBe('# Goal');
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/v1/chat/completions',
    headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
    body: {
      model: 'the-model',
      messages: [
        { role: 'system', content: question.instructions },
        { role: 'user', content: question.material },
      ],
    },
  });
});

test('an Anthropic endpoint is asked through its messages, and only the text blocks are the prompt', async () => {
  let seen: Awaited<ReturnType<typeof received>> | undefined;
  const url = await endpoint(async (request, response) => {
    seen = await received(request);
    answering(200, anthropic('# Goal'))(request, response);
  });
  expect(await askModel(model('anthropic', url), question, inTime(), context)).toBe('# Goal');
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/v1/messages',
    headers: { 'x-api-key': 'the-key', 'anthropic-version': '2023-06-01' },
    body: {
      model: 'the-model',
      max_tokens: 1_000,
      system: question.instructions,
      messages: [{ role: 'user', content: question.material }],
    },
  });
});

test('a server that needs no key gets none', async () => {
  let headers: IncomingMessage['headers'] = {};
  const url = await endpoint((request, response) => {
    headers = request.headers;
    answering(200, openAi('text'))(request, response);
  });
  await askModel({ ...model('openai', url), apiKey: undefined }, question, inTime(), context);
  expect(headers).not.toHaveProperty('authorization');
});

describe.each(PROTOCOLS)('with the protocol of %s', (protocol, answer, cutOff, declined) => {
  test.each([
    ['a prompt that was cut off', 200, answer('half a pro', cutOff), /cut off/],
    ['a model that declines', 200, answer('', declined), /declined/],
    ['an empty prompt', 200, answer('  \n'), /declined/],
    ['JSON of another kind', 200, { hello: 'world' }, /a format other than/],
    ['a web page', 200, '<html>secret-detail</html>', /a format other than/],
    ['a wrong key', 401, { error: { message: 'secret-detail' } }, /HTTP 401.*PROMPT_API_KEY/],
    ['an unknown model', 404, { error: { message: 'secret-detail' } }, /HTTP 404.*PROMPT_MODEL/],
    ['a fault of the endpoint', 500, { error: { message: 'secret-detail' } }, /overloaded \(HTTP 500\)/],
  ])('%s is a clear error without the endpoint’s own words', async (_, status, body, message) => {
    const url = await endpoint(answering(status, body));
    const failure = await askModel(model(protocol, url), question, inTime(), context).catch((error) => error);
    expect(failure).toBeInstanceOf(OperationError);
    expect(failure.code).toBe('UNAVAILABLE');
    expect(failure.message).toMatch(message);
    expect(JSON.stringify(failure.toValue())).not.toContain('secret-detail');
  });

  test('an overloaded endpoint says when to retry', async () => {
    const url = await endpoint(answering(429, {}, { 'retry-after': '17' }));
    await expect(askModel(model(protocol, url), question, inTime(), context)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      extra: { retryAfterSeconds: 17 },
    });
  });

  test('an endpoint that does not answer in time is given up', async () => {
    const url = await endpoint(() => {});
    await expect(askModel(model(protocol, url, 50), question, inTime(), context)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await expect(askModel(model(protocol, url), question, Date.now() + 50, context)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('an endpoint that starts to answer and stops half-way is given up', async () => {
    const url = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[');
    });
    await expect(askModel(model(protocol, url, 100), question, inTime(), context)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('a connection that breaks is an error', async () => {
    const url = await endpoint((request) => request.socket.destroy());
    await expect(askModel(model(protocol, url), question, inTime(), context)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('a redirect is not followed with the key', async () => {
    let redirected = 0;
    const url = await endpoint((request, response) => {
      if (request.url === '/elsewhere') redirected++;
      response.writeHead(307, { location: '/elsewhere' });
      response.end();
    });
    await expect(askModel(model(protocol, url), question, inTime(), context)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(redirected).toBe(0);
  });

  test('an endless answer is cut off before it fills the memory', async () => {
    const url = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const block = Buffer.alloc(1 << 20, 32);
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
    });
    await expect(askModel(model(protocol, url), question, inTime(), context)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
