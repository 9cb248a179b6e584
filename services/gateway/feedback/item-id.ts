import { createHash } from 'node:crypto';
import { uuidv7, uuidv8Of } from '@worktrack/runtime/process/uuid';

/**
 * The id of the item that a submission becomes. With an `Idempotency-Key`, it is always the same for that key and source: a UUIDv8 of their hash (RFC 9562
 * section 5.8). The uniqueness of item ids then makes the submission happen once. Otherwise the id is new.
 */
export function itemIdOf(sourceId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return uuidv7();
  return uuidv8Of(createHash('sha256').update(`${sourceId}\n${idempotencyKey}`).digest());
}
