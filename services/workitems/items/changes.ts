import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '@worktrack/contracts/metadata';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemRecord } from './items.model.ts';

export type Editable = Pick<
  ItemRecord,
  PlainField | 'title' | 'description' | 'type' | 'labels' | 'assignee' | 'parentId' | 'metadata'
>;

export interface Difference {
  /** The fields whose value changes. */
  readonly changes: Partial<Editable>;
  /** For the history: each with both values. Of metadata, only the top-level keys that differ. */
  readonly described: Record<string, { from: unknown; to: unknown }>;
}

/** @param wanted the new values; undefined fields are left unchanged */
export function differenceOf(item: Editable, wanted: Partial<Editable>): Difference {
  const differing = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, before(item, field)),
  );
  const described: Difference['described'] = {};
  for (const [field, to] of differing) {
    described[field] =
      field === 'metadata' ? metadataDifference(item.metadata, to as Metadata) : { from: before(item, field), to };
  }
  return { changes: Object.fromEntries(differing), described };
}

/** What was not yet a field when the item was stored, or was not given, is null, and of labels there are none. */
function before(item: Editable, field: string): unknown {
  return item[field as keyof Editable] ?? (field === 'labels' ? [] : null);
}

function metadataDifference(from: Metadata, to: Metadata): { from: Metadata; to: Metadata } {
  const differs = ([key]: [string, unknown]) =>
    !(Object.hasOwn(from, key) && Object.hasOwn(to, key) && isDeepStrictEqual(from[key], to[key]));
  return {
    from: Object.fromEntries(Object.entries(from).filter(differs)),
    to: Object.fromEntries(Object.entries(to).filter(differs)),
  };
}
