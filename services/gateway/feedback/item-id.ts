import { createHash } from 'node:crypto';
import { uuidv7, uuidv8Of } from '@worktrack/runtime/process/uuid';

/**
 * The id of the item that a submission becomes: with an `Idempotency-Key`, always the same one for that key and source (a UUIDv8 of their
 * hash, RFC 9562 section 5.8), so that the uniqueness of item ids makes the submission happen once; otherwise a new one.
 */
export function itemIdOf(sourceId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return uuidv7();
  return uuidv8Of(createHash('sha256').update(`${sourceId}\n${idempotencyKey}`).digest());
}
