import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@worktrack/runtime/process/logging';
import { afterEach, describe, expect, test } from 'vitest';
import { codeOf } from '../testing.ts';
import { Siteverify } from './siteverify.ts';

const SECRET = 'the secret of the site';
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that speaks the siteverify protocol, which the three providers share. */
async function provider(answer: (form: URLSearchParams, response: ServerResponse) => unknown) {
  const asked: { readonly form: URLSearchParams; readonly request: IncomingMessage }[] = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    asked.push({ form, request });
    const body = answer(form, response);
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify` };
}

function verify(url: string, changes: { origin?: string | null; timeoutMs?: number; deadlineMs?: number } = {}) {
  const { origin = 'https://www.a.example', timeoutMs, deadlineMs = 10_000 } = changes;
  const presented = {
    token: 'the response token',
    sourceId: 'source',
    origin,
    deadlineAtMs: Date.now() + deadlineMs,
    log: createLog('test', 'silent'),
  };
  return new Siteverify({ url, secret: SECRET, minScore: 0.5, timeoutMs }).verify(presented);
}

test('the provider is sent a form that holds the secret and the token, and nothing about the visitor', async () => {
  const { url, asked } = await provider(() => ({ success: true, hostname: 'www.a.example' }));
  expect(await verify(url)).toBe(true);
  expect(asked.map(({ form }) => [...form])).toEqual([
    [
      ['secret', SECRET],
      ['response', 'the response token'],
    ],
  ]);
  expect(asked[0]?.request.method).toBe('POST');
  expect(asked[0]?.request.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
});

test('a submission that waited for its turn is verified: its deadline is a fraction of a millisecond', async () => {
  const { url } = await provider(() => ({ success: true, hostname: 'www.a.example' }));
  expect(await verify(url, { timeoutMs: 20_000, deadlineMs: 10_000.5 })).toBe(true);
});

describe('what each provider answers to a good solution passes', () => {
  test.each([
    [
      'turnstile',
      {
        success: true,
        challenge_ts: '2026-03-01T12:00:00Z',
        hostname: 'www.a.example',
        'error-codes': [],
        action: '',
        cdata: '',
      },
    ],
    ['hcaptcha', { success: true, challenge_ts: '2026-03-01T12:00:00Z', hostname: 'www.a.example', credit: false }],
    ['recaptcha v2', { success: true, challenge_ts: '2026-03-01T12:00:00Z', hostname: 'www.a.example' }],
    ['recaptcha v3', { success: true, score: 0.9, action: 'submit', hostname: 'www.a.example' }],
    ['a hostname in another case', { success: true, hostname: 'WWW.A.example.' }],
    ['no hostname', { success: true }],
  ])('%s', async (_name, answer) => {
    const { url } = await provider(() => answer);
    expect(await verify(url)).toBe(true);
  });

  test('for a caller without an origin', async () => {
    const { url } = await provider(() => ({ success: true, hostname: 'www.a.example' }));
    expect(await verify(url, { origin: null })).toBe(true);
  });
});

describe('is refused', () => {
  test.each([
    ['a wrong solution', { success: false, 'error-codes': ['invalid-input-response'] }],
    ['one that was used before or is too old', { success: false, 'error-codes': ['timeout-or-duplicate'] }],
    ['one of hCaptcha that was used before', { success: false, 'error-codes': ['already-seen-response'] }],
    ['one without a reason', { success: false }],
    ['one that was solved on another page', { success: true, hostname: 'evil.example' }],
    ['one that was solved on a page whose name only ends alike', { success: true, hostname: 'evilwww.a.example' }],
    ['a low score', { success: true, score: 0.3, hostname: 'www.a.example' }],
  ])('%s', async (_name, answer) => {
    const { url } = await provider(() => answer);
    expect(await verify(url)).toBe(false);
  });
});

describe('is UNAVAILABLE, never a pass and never the visitor’s fault:', () => {
  test.each<[string, (form: URLSearchParams, response: ServerResponse) => unknown]>([
    ['an answer of 500', (_form, response) => void response.writeHead(500).end('{"success":true}')],
    ['an answer that is no JSON', () => '<html>Bad gateway</html>'],
    ['an answer of another shape', () => ({ ok: true })],
    ['an answer of null', () => 'null'],
    ['a connection that is cut', (_form, response) => void response.destroy()],
    ['a redirect', (_form, response) => void response.writeHead(302, { location: 'https://evil.example/' }).end()],
    ['a secret that the provider does not know', () => ({ success: false, 'error-codes': ['invalid-input-secret'] })],
    ['a fault of the provider', () => ({ success: false, 'error-codes': ['internal-error'] })],
  ])('%s', async (_name, answer) => {
    const { url } = await provider(answer);
    expect(await codeOf(verify(url))).toBe('UNAVAILABLE');
  });

  test('nobody listening', async () => {
    const { url } = await provider(() => ({ success: true }));
    for (const close of closers.splice(0)) close();
    expect(await codeOf(verify(url))).toBe('UNAVAILABLE');
  });

  test.each([
    ['its own time-out', { timeoutMs: 50 }],
    ['the deadline of the submission', { deadlineMs: 50 }],
  ])('no answer within %s', async (_name, changes) => {
    const { url } = await provider(() => undefined);
    expect(await codeOf(verify(url, changes))).toBe('UNAVAILABLE');
  });
});
