import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, type Replica, startFeedback } from '../testing.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
let asked = 0;
/** A provider that accepts each response token once, as they all do. */
const provider = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('response') ?? '';
  asked++;
  const success = !seen.has(token);
  seen.add(token);
  response.end(JSON.stringify(success ? { success } : { success, 'error-codes': ['timeout-or-duplicate'] }));
});
const seen = new Set<string>();

beforeAll(async () => {
  feedback = await startFeedback();
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  provider.close();
  provider.closeAllConnections();
  await feedback.stop();
});

const remote = () =>
  feedback.replica({
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SECRET_KEY: 'secret',
    CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`,
  });

async function altchaToken(sourceId: string): Promise<string> {
  const challenge = await feedback.call('captcha.challenge', { sourceId });
  const solution = await solveChallenge({ challenge: challenge as unknown as Challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

const present = (by: Replica, captchaToken: string, sourceId: string, itemId: string = uuidv7()) =>
  codeOf(by.call('captcha.verify', { itemId, sourceId, origin: null, captchaToken }));

describe.each<[string, () => Promise<Replica>, (sourceId: string) => Promise<string>]>([
  ['altcha', () => feedback.replica(), altchaToken],
  ['a provider on the internet', remote, async () => randomUUID()],
])('with %s', (_name, replica, newToken) => {
  test('a solution is accepted for one submission, out of any number at once over two replicas', async () => {
    const replicas = [await replica(), await replica()] as const;
    const sourceId = randomUUID();
    const token = await newToken(sourceId);
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => present(replicas[i % 2 === 0 ? 0 : 1], token, sourceId)),
    );
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(codes.filter((code) => code === 'CAPTCHA_INVALID')).toHaveLength(19);
  });

  test('the submission that it was accepted for may present it again, at another replica too', async () => {
    const [one, two] = [await replica(), await replica()];
    const [sourceId, itemId] = [randomUUID(), uuidv7()];
    const token = await newToken(sourceId);
    expect(await present(one, token, sourceId, itemId)).toBe('ok');
    const askedBefore = asked;
    expect(await present(two, token, sourceId, itemId)).toBe('ok');
    expect(await present(two, token, sourceId)).toBe('CAPTCHA_INVALID');
    expect(asked).toBe(askedBefore);
  });
});

test('without Redis a solution is accepted once by each replica', async () => {
  const alone = await feedback.replica({}, 'redis://127.0.0.1:1');
  const [sourceId, itemId] = [randomUUID(), uuidv7()];
  const token = await altchaToken(sourceId);
  expect(await present(alone, token, sourceId, itemId)).toBe('ok');
  expect(await present(alone, token, sourceId, itemId)).toBe('ok');
  expect(await present(alone, token, sourceId)).toBe('CAPTCHA_INVALID');
});

test('a verifier that is unavailable is reported as such, and its solution can be presented again', async () => {
  const away = await feedback.replica({
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SECRET_KEY: 'secret',
    CAPTCHA_VERIFY_URL: 'http://127.0.0.1:1/',
  });
  const token = randomUUID();
  expect(await present(away, token, randomUUID())).toBe('UNAVAILABLE');
  expect(await present(await remote(), token, randomUUID())).toBe('ok');
});

test('a service that uses a provider on the internet issues no challenges', async () => {
  expect(await codeOf((await remote()).call('captcha.challenge', { sourceId: randomUUID() }))).toBe('NOT_FOUND');
});
