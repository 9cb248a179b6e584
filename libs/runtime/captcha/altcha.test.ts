import { randomUUID } from 'node:crypto';
import type { CaptchaChallenge } from '@worktrack/contracts/feedback/public-api';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { describe, expect, test } from 'vitest';
import { keyRingSetting } from '../process/key-ring.ts';
import { createLog } from '../process/logging.ts';
import { Altcha, CHALLENGE_LIFETIME_MS } from './altcha.ts';

const EFFORT = { ALTCHA_COST: 5, ALTCHA_COUNTERS: 20 };
const [ONE, TWO] = ['one:the first of two secrets in these tests', 'two:the second of two secrets in these tests'];
const altcha = new Altcha(keyRingSetting.parse(ONE), EFFORT);
const sourceId = randomUUID();

const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');
async function solve(challenge: CaptchaChallenge) {
  const solution = await solveChallenge({ challenge: challenge as unknown as Challenge, deriveKey });
  return { challenge, solution };
}
const verify = (token: string, by = altcha, source = sourceId) =>
  by.verify({ token, sourceId: source, origin: null, deadlineAtMs: Infinity, log: createLog('test', 'silent') });

test("a challenge that altcha's own solver solved is verified", async () => {
  expect(await verify(encode(await solve(await altcha.challenge(sourceId))))).toBe(true);
});

test('a challenge is only for one source', async () => {
  const token = encode(await solve(await altcha.challenge(sourceId)));
  expect(await verify(token, altcha, randomUUID())).toBe(false);
});

test('a challenge expires', async () => {
  const longAgo = Date.now() - CHALLENGE_LIFETIME_MS - 2_000;
  expect(await verify(encode(await solve(await altcha.challenge(sourceId, longAgo))))).toBe(false);
});

test('a secret is rotated without a refusal', async () => {
  const token = encode(await solve(await altcha.challenge(sourceId)));
  expect(await verify(token, new Altcha(keyRingSetting.parse(`${TWO},${ONE}`), EFFORT))).toBe(true);
  expect(await verify(token, new Altcha(keyRingSetting.parse(TWO), EFFORT))).toBe(false);
});

test('the same solution has one id, however it is written', async () => {
  const { challenge, solution } = await solve(await altcha.challenge(sourceId));
  const writings = [
    { challenge, solution },
    { solution, challenge },
    { challenge, solution: { ...solution, time: 12 } },
    { challenge, solution, more: true },
  ];
  const ids = writings.map((payload) => altcha.solutionId(encode(payload)));
  expect(new Set(ids).size).toBe(1);
  expect(await verify(encode(writings[2]))).toBe(true);
});

describe('what is not a solution is refused', () => {
  test.each<[string, (solved: Awaited<ReturnType<typeof solve>>) => unknown]>([
    [
      'another counter and key',
      ({ challenge }) => ({ challenge, solution: { counter: 1, derivedKey: '00'.repeat(32) } }),
    ],
    ['no solution', ({ challenge }) => ({ challenge })],
    ['null', () => null],
    ['a list', () => []],
    [
      'another signature',
      ({ challenge, solution }) => ({ challenge: { ...challenge, signature: '0'.repeat(64) }, solution }),
    ],
    [
      'less work',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 1 } },
        solution,
      }),
    ],
    [
      'a later expiry',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, expiresAt: 9e9 } },
        solution,
      }),
    ],
    [
      'no expiry',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, expiresAt: undefined } },
        solution,
      }),
    ],
    [
      'a further parameter',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, memoryCost: 1e9 } },
        solution,
      }),
    ],
    [
      'another algorithm',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, algorithm: 'ARGON2ID' } },
        solution,
      }),
    ],
    [
      'an unknown key id',
      ({ challenge, solution }) => ({
        challenge: { ...challenge, parameters: { ...challenge.parameters, data: { keyId: 'x', sourceId } } },
        solution,
      }),
    ],
  ])('%s', async (_what, change) => {
    expect(await verify(encode(change(await solve(await altcha.challenge(sourceId)))))).toBe(false);
  });

  test.each(['', 'x', '%%%', Buffer.from('{').toString('base64'), Buffer.from('"text"').toString('base64')])(
    '%j',
    async (token) => {
      expect(await verify(token)).toBe(false);
      expect(altcha.solutionId(token)).toBeUndefined();
    },
  );

  test('deep nesting', async () => {
    expect(await verify(Buffer.from('['.repeat(12_000)).toString('base64'))).toBe(false);
    expect(await verify(Buffer.from(`${'['.repeat(6_000)}${']'.repeat(6_000)}`).toString('base64'))).toBe(false);
  });
});
