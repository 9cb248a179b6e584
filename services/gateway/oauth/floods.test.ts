import { keyMarkOf } from '@worktrack/contracts/keys/trust-tokens';
import { beforeEach, describe, expect, test } from 'vitest';
import { newIssuerKey, signJwt } from '../../../test/support/issuer.ts';
import { Floods } from './floods.ts';

const AUDIENCE = 'https://worktrack.example/trust/1';
const key = newIssuerKey('ES256');
const jwt = (kid: unknown, aud: unknown = AUDIENCE) => signJwt({ alg: 'ES256', kid } as never, { aud }, key);

const isRefused = (text: string) => floods.outcomeOf(text) === 'refused';

let nowMs: number;
let floods: Floods;
beforeEach(() => {
  nowMs = 1_000;
  floods = new Floods(() => nowMs);
});

test('nothing is refused before the keys service has told of a flood', () => {
  floods.learn(jwt('made-up'), undefined);
  expect(isRefused(jwt('made-up'))).toBe(false);
});

describe('in a flood', () => {
  beforeEach(() =>
    floods.learn(jwt('made-up'), { outcome: 'refused', keyMarks: ['one', 'other'].map(keyMarkOf), forMs: 500 }),
  );

  test.each<[string, string, boolean]>([
    ['a made-up key id', jwt('more'), true],
    ['none', jwt(undefined), true],
    ['one that is no text', jwt(['one', 'other']), true],
    ['an audience in a list', jwt('more', [AUDIENCE]), true],
    ['a known key id', jwt('one'), false],
    ['another audience', jwt('more', `${AUDIENCE}0`), false],
    ['two audiences', jwt('more', [AUDIENCE, AUDIENCE]), false],
    ['an audience that cannot be a text', jwt('more', { toString: 1 }), false],
    ['no JWT', 'a.b.c', false],
    ['a payload that is null', signJwt({ kid: 'more' }, 'null', key), false],
  ])('%s: %s, refused: %s', (_, text, refused) => {
    expect(isRefused(text)).toBe(refused);
  });

  test('after its time one is let through each second, and what is said of it holds', () => {
    nowMs += 500;
    const passed = () => Array.from({ length: 100 }, () => isRefused(jwt('more'))).filter((is) => !is).length;
    expect(passed()).toBe(1);
    nowMs += 999;
    expect(passed()).toBe(0);
    nowMs += 1;
    expect(passed()).toBe(1);
    floods.learn(jwt('more'), { outcome: 'refused', keyMarks: [keyMarkOf('new')], forMs: 1_000 });
    expect([isRefused(jwt('new')), isRefused(jwt('more'))]).toEqual([false, true]);
    floods.learn(jwt('more'), undefined);
    expect(passed()).toBe(100);
  });

  test('an answer to a JWT with a known key id does not end it', () => {
    floods.learn(jwt('one'), undefined);
    expect(isRefused(jwt('more'))).toBe(true);
  });

  test('it is over when no other has come for some seconds: whoever uses a new key then is not refused', () => {
    nowMs += 11_000;
    expect([isRefused(jwt('new')), isRefused(jwt('new'))]).toEqual([false, false]);
  });
});

test('while an issuer is away, each JWT of its rule has that outcome, but one a second, which ends it', () => {
  floods.learn(jwt('any'), { outcome: 'unavailable', keyMarks: [], forMs: 500 });
  expect([floods.outcomeOf(jwt('one')), floods.outcomeOf(jwt('one', `${AUDIENCE}0`))]).toEqual([
    'unavailable',
    undefined,
  ]);
  nowMs += 500;
  expect([floods.outcomeOf(jwt('one')), floods.outcomeOf(jwt('one'))]).toEqual([undefined, 'unavailable']);
  floods.learn(jwt('one'), undefined);
  expect(floods.outcomeOf(jwt('one'))).toBeUndefined();
});
