import { v7 } from 'uuid';

/** A new id: UUIDv7 (RFC 9562), so that ids sort by the time of their making and inserts stay at the end of an index. */
export function uuidv7(): string {
  return v7();
}
