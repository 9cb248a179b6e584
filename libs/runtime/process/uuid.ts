import { v7 } from 'uuid';

/** A new id: UUIDv7 (RFC 9562), so that ids sort by creation time and inserts stay at the end of an index. */
export function uuidv7(): string {
  return v7();
}

/** The id for something made at this time, always the same for the same thing. @param random what distinguishes it: at least 16 bytes */
export function uuidv7At(time: Date, random: Uint8Array): string {
  return v7({ msecs: time.getTime(), seq: 0, random: random.subarray(0, 16) });
}
