import { stringify, v7 } from 'uuid';

/** A new id: UUIDv7 (RFC 9562), so that ids sort by creation time and inserts stay at the end of an index. */
export function uuidv7(): string {
  return v7();
}

/** The id for something made at this time, always the same for the same thing. @param random what distinguishes it: at least 16 bytes */
export function uuidv7At(time: Date, random: Uint8Array): string {
  return v7({ msecs: time.getTime(), seq: 0, random: random.subarray(0, 16) });
}

/** Always the same for the same (UUIDv8, RFC 9562, 5.8). @param hash of whatever it names: at least 16 bytes */
export function uuidv8Of(hash: Uint8Array): string {
  const bytes = Uint8Array.from(hash.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return stringify(bytes);
}

/** Where the ids of a millisecond start: none equals it, since each names its version (RFC 9562, 5.7). */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** When a UUIDv7 was made. */
export function madeAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
}
