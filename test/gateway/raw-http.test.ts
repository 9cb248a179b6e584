import { METHODS } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-exchange.ts';
import { type System, sharedSystem } from '../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

/** What comes back until the connection closes, which it must. */
const exchange = (text: string) => rawExchange(system.baseUrl, text);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('what is not a request is answered in the envelope, and the connection closes', () => {
  test('headers over 16 KiB', async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { message: expect.stringContaining('headers') } });
  });

  test('not HTTP at all', async () => {
    const answer = await exchange('hello\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { code: 'VALIDATION_FAILED' } });
  });

  test.each([
    ['no Host', '', 400, 'Host'],
    ['two Hosts', 'Host: x\r\nhost: y\r\n', 400, 'Send the header Host once'],
    ['an expectation that nobody meets', 'Host: x\r\nExpect: 200-ok\r\n', 417, 'Expect'],
  ])('%s', async (_what, headers, status, named) => {
    const answer = await exchange(`GET /api/me HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^x-request-id: ./im);
    expect(bodyOf(answer)).toMatchObject({
      success: false,
      error: { code: 'VALIDATION_FAILED', message: expect.stringContaining(named) },
    });
  });
});

test('HTTP/1.0 needs no Host', async () => {
  expect(await exchange('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

test('connections whose request heads never end are closed, and hold up nobody meanwhile', async () => {
  const slow = Array.from({ length: 100 }, () => exchange('GET /api/me HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  const others = await Promise.all(Array.from({ length: 20 }, () => fetch(`${system.baseUrl}/health/live`)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  for (const answer of await Promise.all(slow)) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { message: expect.any(String) } });
  }
});

test('a smuggled second length is refused', async () => {
  const answer = await exchange(
    'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

/** What Node's parser lets through besides the methods that routes have. */
const ODD_METHODS = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'].includes(method));

describe('a method that a path does not have is 405 with Allow', () => {
  const PATHS = [
    ['/api/me', 'GET, HEAD'],
    ['/api/work-items/claim', 'POST'],
    ['/api/work-items/W-T-1/move?x=1', 'POST'],
    ['/api/work-items/W%2DT-1', 'GET, HEAD, PATCH, DELETE'],
    ['/mcp', 'POST'],
    ['/feedback/ingest', 'POST'],
    ['/health/live', 'GET, HEAD'],
    ['/widget/demo.js', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
  ] as const;

  test.each(ODD_METHODS.filter((method) => method !== 'CONNECT'))('%s', async (method) => {
    for (const [path, allow] of PATHS) {
      const answer = await exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect({ path, line: answer.split('\r\n')[0] }).toEqual({ path, line: 'HTTP/1.1 405 Method Not Allowed' });
      const given = /^allow: (.*)$/im.exec(answer)?.[1]?.split(', ');
      expect({ path, allow: given?.toSorted() }).toEqual({ path, allow: allow.split(', ').toSorted() });
      expect(answer).toMatch(/^x-request-id: ./im);
      expect(bodyOf(answer)).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
    }
    const nowhere = await exchange(`${method} /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(nowhere).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('QUERY and TRACE are among them', () => {
    expect(ODD_METHODS).toEqual(expect.arrayContaining(['QUERY', 'TRACE', 'PROPFIND', 'CONNECT']));
  });

  test('CONNECT, which asks for a tunnel', async () => {
    const answer = await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\nAllow: ./);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test('no method at all', async () => {
    expect(await exchange('FROBNICATE /api/me HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});
