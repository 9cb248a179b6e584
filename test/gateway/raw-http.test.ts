import { beforeAll, describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-exchange.ts';
import { type System, sharedSystem } from '../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

/** What comes back until the connection ends, which it must. */
const exchange = (text: string) => rawExchange(system.baseUrl, text);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('what is not a request is answered in the envelope, and the connection ends', () => {
  test('headers over 16 KiB', async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { message: expect.stringContaining('headers') } });
  });

  test('no HTTP at all', async () => {
    const answer = await exchange('hello\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { code: 'VALIDATION_FAILED' } });
  });
});

test('request heads that never end are ended, and hold up nobody meanwhile', async () => {
  const slow = Array.from({ length: 100 }, () => exchange('GET /api/me HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  const others = await Promise.all(Array.from({ length: 20 }, () => fetch(`${system.baseUrl}/health/live`)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  for (const answer of await Promise.all(slow)) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodyOf(answer)).toMatchObject({ success: false, error: { message: expect.any(String) } });
  }
}, 60_000);

test('a smuggled second length is refused', async () => {
  const answer = await exchange(
    'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});
