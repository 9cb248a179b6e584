import { bytesOf } from '../../text/trim.ts';

/**
 * How much an event says about what happened: a description has 50 000 characters and metadata 256 KiB; to get them whole, read the subject.
 */
export const MAX_EVENT_DATA_BYTES = 16 * 1024;

/** What takes the place of a value that is too large. */
interface Omitted {
  readonly omitted: true;
  /** The value's, as JSON. */
  readonly bytes: number;
}
/** As JSON, with room for any number. */
const OMITTED_BYTES = 48;

/** The data of an event as JSON. What is too large is left out and marked as such; small values next to it stay. */
export function boundedJson(data: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(data);
  return Buffer.byteLength(json) <= MAX_EVENT_DATA_BYTES ? json : JSON.stringify(bounded(data, MAX_EVENT_DATA_BYTES));
}

function bounded(value: unknown, maxBytes: number): unknown {
  const bytes = bytesOf(value);
  if (bytes <= maxBytes) return value;
  const omitted: Omitted = { omitted: true, bytes };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return omitted;
  const fields = Object.entries(value).map(([name, field]) => ({ name, field, bytes: bytesOf(field) }));
  const kept = new Map<string, unknown>();
  let leftBytes = maxBytes - '{}'.length;
  // The smallest first: each leaves the part of its share that it does not need to the others.
  for (const { name, field, bytes } of fields.toSorted((a, b) => a.bytes - b.bytes)) {
    const nameBytes = bytesOf(name) + ':,'.length;
    const share = Math.floor(leftBytes / (fields.length - kept.size)) - nameBytes;
    if (share < Math.min(bytes, OMITTED_BYTES)) return omitted;
    const part = bounded(field, share);
    kept.set(name, part);
    leftBytes -= nameBytes + bytesOf(part);
  }
  return Object.fromEntries(fields.map(({ name }) => [name, kept.get(name)]));
}
