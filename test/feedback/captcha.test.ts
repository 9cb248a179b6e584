import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Source } from '@worktrack/contracts/feedback/records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, sharedSystem, startSystem } from '../support/system.ts';
import { solvedCaptcha } from './solve.ts';
import { newSource, visitor } from './visitor.ts';

describe('altcha, which needs no third party', () => {
  let system: System;
  let source: Source;
  beforeAll(async () => {
    system = await sharedSystem();
    source = await newSource(await system.newOrganization(), {
      requireCaptcha: true,
      rateLimit: { perIp: 1_000, perSource: 1_000, windowSeconds: 1 },
    });
  });

  const solved = (of = source) => solvedCaptcha(system.baseUrl, of);
  const submit = (body: object, headers?: Record<string, string>) =>
    visitor(system.baseUrl).submit(source, { message: `Hello ${randomUUID()}`, ...body }, headers);

  test('bootstrap says that a captcha is required, and where its challenges are', async () => {
    const { data } = await visitor(system.baseUrl).bootstrap(source);
    expect(data.config).toEqual({
      requireCaptcha: true,
      captcha: { provider: 'altcha', challengePath: '/feedback/widget/challenge' },
    });
  });

  test('a submission with a solution is stored; without one, or with a used one, it is not', async () => {
    const captchaToken = await solved();
    expect((await submit({})).error.code).toBe('CAPTCHA_REQUIRED');
    expect((await submit({ captchaToken })).status).toBe(201);
    const used = await submit({ captchaToken });
    expect([used.status, used.error.code]).toEqual([400, 'CAPTCHA_INVALID']);
  });

  test('the same submission may be sent again with its solution', async () => {
    const [captchaToken, message, key] = [await solved(), randomUUID(), { 'idempotency-key': randomUUID() }];
    const first = await submit({ captchaToken, message }, key);
    const again = await submit({ captchaToken, message }, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.data).toEqual(first.data);
  });

  test('a solution for one source is not valid for another', async () => {
    const other = await newSource(await system.newOrganization(), { requireCaptcha: true });
    expect((await submit({ captchaToken: await solved(other) })).error.code).toBe('CAPTCHA_INVALID');
  });

  test('challenges are issued to the allowed origins of an existing source', async () => {
    const restricted = await newSource(await system.newOrganization(), { allowedDomains: ['a.example'] });
    const path = `/feedback/widget/challenge?publicKey=${restricted.publicKey}`;
    const statuses = [
      await visitor(system.baseUrl).fetch(path, { headers: { origin: 'https://evil.example' } }),
      await visitor(system.baseUrl).fetch(path, { headers: { origin: 'https://a.example' } }),
      await visitor(system.baseUrl).fetch(`/feedback/widget/challenge?publicKey=pk_${'0'.repeat(24)}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 200, 404]);
  });
});

describe('a verifier on the internet', () => {
  let system: Awaited<ReturnType<typeof startSystem>>;
  let source: Source;
  let open: Source;
  /** What the verifier does with a token of that name; `slow` is answered when `release` is called. */
  const held: (() => void)[] = [];
  let whenHeld: () => void = () => {};
  const verifier = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const kind = form.get('response')?.split(' ')[0];
    if (form.get('secret') !== 'the secret of the site')
      response.end('{"success":false,"error-codes":["invalid-input-secret"]}');
    else if (kind === 'good') response.end('{"success":true,"hostname":"a.example"}');
    else if (kind === 'elsewhere') response.end('{"success":true,"hostname":"evil.example"}');
    else if (kind === 'broken') response.writeHead(500).end();
    else if (kind === 'slow') {
      held.push(() => response.end('{"success":true}'));
      whenHeld();
    } else response.end('{"success":false,"error-codes":["invalid-input-response"]}');
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve));
    system = await startSystem({
      env: {
        CAPTCHA_PROVIDER: 'hcaptcha',
        CAPTCHA_SITE_KEY: 'the site key',
        CAPTCHA_SECRET_KEY: 'the secret of the site',
        CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/siteverify`,
      },
    });
    const organization = await system.newOrganization();
    source = await newSource(organization, {
      requireCaptcha: true,
      rateLimit: { perIp: 1_000, perSource: 1_000, windowSeconds: 1 },
    });
    open = await newSource(organization, { rateLimit: { perIp: 1_000, perSource: 1_000, windowSeconds: 1 } });
  });
  afterAll(async () => {
    await system?.stop();
    verifier.close();
    verifier.closeAllConnections();
  });

  const submit = (kind: string) =>
    visitor(system.baseUrl).submit(
      source,
      { captchaToken: `${kind} ${randomUUID()}` },
      { origin: 'https://a.example' },
    );

  test('bootstrap names it with its site key, and there are no challenges', async () => {
    const { data } = await visitor(system.baseUrl).bootstrap(source);
    expect(data.config).toEqual({ requireCaptcha: true, captcha: { provider: 'hcaptcha', siteKey: 'the site key' } });
    expect(
      (await visitor(system.baseUrl).fetch(`/feedback/widget/challenge?publicKey=${source.publicKey}`)).status,
    ).toBe(404);
  });

  test.each([
    ['good', '201'],
    ['bad', '400 CAPTCHA_INVALID'],
    ['elsewhere', '400 CAPTCHA_INVALID'],
    ['broken', '503 UNAVAILABLE'],
  ])('%s: %s', async (kind, expected) => {
    const { status, error, headers } = await submit(kind);
    expect([status, error?.code].filter(Boolean).join(' ')).toBe(expected);
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('that is slow holds up no submission to another source', async () => {
    const arrived = new Promise<void>((resolve) => {
      whenHeld = () => held.length === 20 && resolve();
    });
    const slow = Promise.all(Array.from({ length: 20 }, () => submit('slow')));
    await arrived;
    const others = await Promise.all(Array.from({ length: 50 }, () => visitor(system.baseUrl).submit(open)));
    expect(others.map(({ status }) => status)).toEqual(Array(50).fill(201));
    for (const release of held) release();
    expect((await slow).map(({ status }) => status)).toEqual(Array(20).fill(201));
  });
});
