import { createHmac, type KeyObject, randomInt } from 'node:crypto';
import { assembleKey, BASE62, KEY_RANDOM_LENGTH, type Mark } from '@worktrack/contracts/keys/key-format';

/** A new key, session or code: 178 random bits. */
export function newKey(mark?: Mark): string {
  const random = Array.from({ length: KEY_RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  return assembleKey(random, mark);
}

/** A key that only a holder of the secret can make again from the same text: 178 bits of an HMAC-SHA-512, taken modulo 62^30 (with a bias below 2^-300). */
export function derivedKey(mark: Mark, secret: KeyObject, text: string): string {
  let rest = BigInt(`0x${createHmac('sha512', secret).update(`${mark} ${text}`).digest('hex')}`);
  let random = '';
  for (let i = 0; i < KEY_RANDOM_LENGTH; i++) {
    random += BASE62.charAt(Number(rest % BASE));
    rest /= BASE;
  }
  return assembleKey(random, mark);
}

const BASE = BigInt(BASE62.length);
