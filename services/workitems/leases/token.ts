import { randomBytes } from 'node:crypto';
import { ItemRef } from '@worktrack/contracts/fields';

const RANDOM_BYTES = 16;
const SEPARATOR = '.';

/** Contains the item's id, so that a lease is found by its token without an index; the rest cannot be guessed. */
export function newToken(itemId: string): string {
  return `${itemId}${SEPARATOR}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

export function itemIdOf(token: string): string | undefined {
  const [itemId, random] = token.split(SEPARATOR);
  return random ? ItemRef.safeParse(itemId).data : undefined;
}
