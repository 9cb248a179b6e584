import { beforeEach, describe, expect, test } from 'vitest';
import { newIssuerKey, signJwt } from '../../../test/support/issuer.ts';
import { Floods } from './floods.ts';

const AUDIENCE = 'https://worktrack.example/trust/1';
const key = newIssuerKey('ES256');
const jwt = (kid: unknown, aud: unknown = AUDIENCE) => signJwt({ alg: 'ES256', kid } as never, { aud }, key);

let nowMs: number;
let floods: Floods;
beforeEach(() => {
  nowMs = 1_000;
  floods = new Floods(() => nowMs);
});

test('nothing is refused before the keys service has told of a flood', () => {
  floods.learn(jwt('made-up'), undefined);
  expect(floods.isPartOfOne(jwt('made-up'))).toBe(false);
});

describe('in a flood', () => {
  beforeEach(() => floods.learn(jwt('made-up'), { keyIds: ['one', 'other'], forMs: 500 }));

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
    expect(floods.isPartOfOne(text)).toBe(refused);
  });

  test('after its time one is let through each second, and what is said of it holds', () => {
    nowMs += 500;
    const passed = () => Array.from({ length: 100 }, () => floods.isPartOfOne(jwt('more'))).filter((is) => !is).length;
    expect(passed()).toBe(1);
    nowMs += 999;
    expect(passed()).toBe(0);
    nowMs += 1;
    expect(passed()).toBe(1);
    floods.learn(jwt('more'), { keyIds: ['new'], forMs: 1_000 });
    expect([floods.isPartOfOne(jwt('new')), floods.isPartOfOne(jwt('more'))]).toEqual([false, true]);
    floods.learn(jwt('more'), undefined);
    expect(passed()).toBe(100);
  });

  test('an answer to a JWT with a known key id does not end it', () => {
    floods.learn(jwt('one'), undefined);
    expect(floods.isPartOfOne(jwt('more'))).toBe(true);
  });

  test('it is over when no other has come for some seconds: whoever uses a new key then is not refused', () => {
    nowMs += 11_000;
    expect([floods.isPartOfOne(jwt('new')), floods.isPartOfOne(jwt('new'))]).toEqual([false, false]);
  });
});
