import { ITEM_FIELDS, isItemName } from '@worktrack/contracts/fields';

/** An input in a form that is identical for equal requests. */
export interface CanonicalInput {
  /** JSON with sorted object keys, and without the names of items. */
  readonly text: string;
  /** The names, in order of appearance: a UUID and a task ID may refer to the same item. */
  readonly names: readonly string[];
}

const NAME = '\u0000';

/** @param input as parsed, so that an omitted field equals one given with its default */
export function canonicalInput(input: unknown): CanonicalInput {
  const names: string[] = [];
  const text = JSON.stringify(ordered(input, false, names)) ?? '';
  return { text, names };
}

/** @param isName whether it is in a position where operations name items */
function ordered(value: unknown, isName: boolean, names: string[]): unknown {
  if (isName && typeof value === 'string' && isItemName(value)) {
    names.push(value);
    return NAME;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => ordered(entry, isName, names));
  const inOrder: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    // What callers store in metadata is their own: plain text, whatever it looks like.
    if (key === 'metadata') inOrder[key] = plain(inner);
    else inOrder[key] = ordered(inner, ITEM_FIELDS.has(key), names);
  }
  return inOrder;
}

/** Sorted keys, and all values unchanged. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const inOrder: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) inOrder[key] = plain((value as Readonly<Record<string, unknown>>)[key]);
  return inOrder;
}
