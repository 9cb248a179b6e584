import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '@worktrack/contracts/metadata';
import type { NewEvent } from '../history/history.repository.ts';

/** The event for these keys' new values, in the form in which every update records metadata; none if they are unchanged. */
export function metadataEvents(before: Metadata, after: Metadata, keys: readonly string[]): NewEvent[] {
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
  if (changed.length === 0) return [];
  const of = (metadata: Metadata) =>
    Object.fromEntries(changed.filter((key) => Object.hasOwn(metadata, key)).map((key) => [key, metadata[key]]));
  return [{ type: 'work_item.updated', data: { changes: { metadata: { from: of(before), to: of(after) } } } }];
}
