import { trim } from '@worktrack/runtime/text/trim';

/** Per old and per new value: a description has 50 000 characters, metadata 256 KiB, and an item is changed any number of times. */
const MAX_VALUE_BYTES = 4 * 1024;

interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

/** The data of an `updated` event as the history keeps it. What is shortened is marked next to it, as in a tool's result: `fromTruncated`, `toTruncated`. */
export function keptChanges(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const changes = Object.entries((data.changes ?? {}) as Readonly<Record<string, Change>>);
  return { ...data, changes: Object.fromEntries(changes.map(([field, change]) => [field, kept(change)])) };
}

function kept(change: Change) {
  const [from, to] = [trim(change.from, MAX_VALUE_BYTES), trim(change.to, MAX_VALUE_BYTES)];
  return {
    ...{ from, to },
    ...(from !== change.from && { fromTruncated: true }),
    ...(to !== change.to && { toTruncated: true }),
  };
}
