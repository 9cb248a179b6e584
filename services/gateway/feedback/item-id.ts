import { createHash } from 'node:crypto';
import { uuidv7 } from '@worktrack/runtime/process/uuid';

/**
 * The id of the item that a submission becomes: with an `Idempotency-Key`, always the same one for that key and source (a UUIDv8 of their
 * hash, RFC 9562 section 5.8), so that the uniqueness of item ids makes the submission happen once; otherwise a new one.
 */
export function itemIdOf(sourceId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return uuidv7();
  const bytes = createHash('sha256').update(`${sourceId}\n${idempotencyKey}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
