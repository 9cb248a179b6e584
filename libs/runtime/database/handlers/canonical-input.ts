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
  const text = JSON.stringify(ordered(input, names)) ?? '';
  return { text, names };
}

/**
 * With sorted keys.
 * @param names takes the names of items; undefined: nothing is one, whatever it looks like
 * @param isName whether it is in a position where operations name items
 */
function ordered(value: unknown, names: string[] | undefined, isName = false): unknown {
  if (names && isName && typeof value === 'string' && isItemName(value)) {
    names.push(value);
    return NAME;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => ordered(entry, names, isName));
  const inOrder: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    // What callers store in metadata is their own.
    inOrder[key] = ordered(inner, key === 'metadata' ? undefined : names, ITEM_FIELDS.has(key));
  }
  return inOrder;
}
