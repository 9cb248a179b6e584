import { randomInt } from 'node:crypto';
import { assembleKey, BASE62, KEY_RANDOM_LENGTH, type Mark } from '@worktrack/contracts/keys/key-format';

/** A new key, session or code: 178 random bits. */
export function newKey(mark?: Mark): string {
  const random = Array.from({ length: KEY_RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  return assembleKey(random, mark);
}
