import { createHmac } from 'node:crypto';
import { secretKey } from '@worktrack/runtime/process/key-ring';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issueToken, verifyToken, WIDGET_TOKEN_LIFETIME_MS } from './widget-token.ts';

const secrets = new Map([
  ['2026-02', secretKey('the newer secret of two')],
  ['2026-01', secretKey('the older secret of two')],
]);
const binding = { publicKey: 'pk_000000000000000000000000', origin: 'https://a.example' };
const NOW = 1_772_000_000_000;

function sign(payload: unknown, secret = 'the newer secret of two'): string {
  const signed = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
const GOOD = { v: 1, k: '2026-02', s: binding.publicKey, o: binding.origin, e: NOW + 1, n: 'nonce' };

test('a token is valid for what it was issued for, until it expires and not a millisecond longer', () => {
  const { token, expiresAt } = issueToken(binding, secrets, NOW);
  expect(expiresAt).toBe(NOW + WIDGET_TOKEN_LIFETIME_MS);
  expect(verifyToken(token, binding, secrets, NOW)).toBe('valid');
  expect(verifyToken(token, binding, secrets, expiresAt - 1)).toBe('valid');
  expect(verifyToken(token, binding, secrets, expiresAt)).toBe('expired');
});

test('its payload holds version, key id, source, origin, expiry and nonce, and its signature is HMAC-SHA256 of the encoded payload', () => {
  const { token, expiresAt } = issueToken(binding, secrets, NOW);
  const [signed = '', signature] = token.split('.');
  const payload = JSON.parse(Buffer.from(signed, 'base64url').toString());
  expect(payload).toEqual({
    v: 1,
    k: '2026-02',
    s: binding.publicKey,
    o: binding.origin,
    e: expiresAt,
    n: expect.any(String),
  });
  expect(signature).toBe(createHmac('sha256', 'the newer secret of two').update(signed).digest('base64url'));
});

test('no two tokens are the same', () => {
  expect(issueToken(binding, secrets, NOW).token).not.toBe(issueToken(binding, secrets, NOW).token);
});

test('a token of an older secret stays valid after the rotation, and ends when that secret is removed', () => {
  const older = new Map([...secrets].slice(1));
  const { token } = issueToken(binding, older, NOW);
  expect(verifyToken(token, binding, secrets, NOW)).toBe('valid');
  expect(verifyToken(token, binding, new Map([...secrets].slice(0, 1)), NOW)).toBe('invalid');
});

describe('a token is bound to its source and origin', () => {
  test.each([
    [{ ...binding, publicKey: 'pk_111111111111111111111111' }],
    [{ ...binding, origin: 'https://b.example' }],
    [{ ...binding, origin: 'http://a.example' }],
    [{ ...binding, origin: 'null' }],
    [{ ...binding, origin: null }],
  ])('and invalid for %o', (other) => {
    const { token } = issueToken(binding, secrets, NOW);
    expect(verifyToken(token, other, secrets, NOW)).toBe('invalid');
    expect(verifyToken(issueToken(other, secrets, NOW).token, binding, secrets, NOW)).toBe('invalid');
  });
});

test('an expired token of another source is invalid, not expired', () => {
  const { token, expiresAt } = issueToken({ ...binding, origin: null }, secrets, NOW);
  expect(verifyToken(token, binding, secrets, expiresAt)).toBe('invalid');
});

test.each([
  ['empty', ''],
  ['a dot', '.'],
  ['no signature', sign(GOOD).split('.')[0] ?? ''],
  ['an empty signature', `${sign(GOOD).split('.')[0]}.`],
  ['a short signature', sign(GOOD).slice(0, -1)],
  ['a longer signature', `${sign(GOOD)}A`],
  ['a third part', `${sign(GOOD)}.x`],
  ['padding', `${sign(GOOD)}=`],
  ['white space', ` ${sign(GOOD)}`],
  ['another secret', sign(GOOD, 'guessed')],
  ['an empty secret', sign(GOOD, '')],
  ['an unknown key id', sign({ ...GOOD, k: '2025-12' })],
  ['the key id of the other secret', sign({ ...GOOD, k: '2026-01' })],
  ['a key id that every object has', sign({ ...GOOD, k: 'constructor' })],
  ['no key id', sign({ ...GOOD, k: undefined })],
  ['a key id that is no string', sign({ ...GOOD, k: 7 })],
  ['another version', sign({ ...GOOD, v: 2 })],
  ['no expiry', sign({ ...GOOD, e: undefined, v: undefined })],
  ['a payload that is not an object', sign('text')],
  ['a payload of null', sign(null)],
  ['a payload that is no JSON', `${Buffer.from('{').toString('base64url')}.${sign(GOOD).split('.')[1]}`],
  ['NUL characters', '\0.\0'],
])('a token with %s is invalid', (_what, token) => {
  expect(verifyToken(token, binding, secrets, NOW)).toBe('invalid');
});

test('a token that differs in any one character is invalid', () => {
  const { token } = issueToken(binding, secrets, NOW);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'ABCxyz019-_.=+/ '), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(verifyToken(changed, binding, secrets, NOW)).toBe('invalid');
    }),
  );
});

test('whatever is sent as a token gets an answer, never an exception', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (token) => {
      expect(verifyToken(token, binding, secrets, NOW)).toBe('invalid');
    }),
  );
});
