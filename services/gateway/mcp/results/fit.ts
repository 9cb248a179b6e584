import { level } from '@worktrack/runtime/text/level';
import { bytesOf, cutText, firstEntries, trim } from '@worktrack/runtime/text/trim';
import type { JsonSchema } from '../../schema.ts';

/** Maximum size of a result as text: some 10 000 tokens of a model's context. */
export const MAX_RESULT_BYTES = 40_000;
/** For a cursor, or for counts. */
const CURSOR_BYTES = 700;
/** Room for the marks of omissions. */
const MARKS_BYTES = 800;
/** Texts, free-form objects and lists inside entries are not cut shorter than this. */
const MIN_TEXT_BYTES = 500;
const MIN_FREE_FORM_BYTES = 1_000;
const MIN_INNER_LIST_BYTES = 8_000;

type Fields = Record<string, unknown>;

/** Part of a result that can be made smaller, and the object that says so with `<field>Truncated`. */
interface Part {
  readonly container: Fields | unknown[];
  readonly key: string | number;
  readonly holder: Fields;
  readonly field: string;
  readonly bytes: number;
}

interface Parts {
  readonly texts: Part[];
  readonly freeForms: Part[];
  readonly innerLists: Part[];
}

export interface Fitted {
  readonly value: Fields;
  /** How many entries of each list remain, if any was cut. */
  readonly shown: Readonly<Record<string, number>> | undefined;
}

/**
 * Shrinks a result to fit a model's context. Long texts are shortened first, then free-form objects such as metadata, then lists inside
 * entries; each is marked with `<field>Truncated: true` next to it, a list also with its length, `<field>Count`. Any remaining excess is cut from the ends of the result's own lists.
 * The largest is always cut first, and no field of a record is dropped.
 * @param schema of the output: it distinguishes records from free-form objects
 * @param lists of the output itself, by name
 */
export function fit(output: Fields, schema: JsonSchema, lists: readonly string[]): Fitted {
  let total = bytesOf(output);
  if (total <= MAX_RESULT_BYTES) return { value: output, shown: undefined };
  const value = structuredClone(output);
  const parts = partsOf(value, schema, lists);
  const limit = MAX_RESULT_BYTES - CURSOR_BYTES;
  const room = limit - MARKS_BYTES;

  const shrink = (these: readonly Part[], minBytes: number, cut: (part: Part, maxBytes: number) => unknown): void => {
    if (total <= limit) return;
    const sizes = these.map(({ bytes }) => bytes);
    const rest = total - sizes.reduce((sum, bytes) => sum + bytes, 0);
    const cap = Math.max(minBytes, level(sizes, room - rest));
    for (const part of these) {
      if (part.bytes <= cap) continue;
      const smaller = cut(part, cap);
      (part.container as Fields)[part.key] = smaller;
      const mark = `${part.field}Truncated`;
      total += bytesOf(smaller) - part.bytes;
      if (part.holder[mark] === undefined) total += bytesOf({ [mark]: true });
      part.holder[mark] = true;
    }
  };
  const given = ({ container, key }: Part) => (container as Fields)[key];
  shrink(parts.texts, MIN_TEXT_BYTES, (part, maxBytes) => cutText(given(part) as string, maxBytes));
  shrink(parts.freeForms, MIN_FREE_FORM_BYTES, (part, maxBytes) => trim(given(part), maxBytes));
  // Measured again: their texts may have become shorter.
  const innerLists = parts.innerLists.map((part) => ({ ...part, bytes: bytesOf(given(part)) }));
  shrink(innerLists, MIN_INNER_LIST_BYTES, (part, maxBytes) => {
    const entries = given(part) as unknown[];
    // A list inside a list has no name of its own.
    if (part.container === part.holder) part.holder[`${part.field}Count`] = entries.length;
    return firstEntries(entries, maxBytes);
  });
  if (total <= limit) return { value, shown: undefined };
  const shown = endLists(value, lists, room);
  const isCut = lists.some((list) => shown[list] !== ((output[list] ?? []) as unknown[]).length);
  return { value, shown: isCut ? shown : undefined };
}

/** Each list is cut to an equal share of the space for all, and what short ones do not need goes to the long ones. */
function endLists(value: Fields, lists: readonly string[], room: number): Record<string, number> {
  const whole = lists.map((list) => [list, (value[list] ?? []) as unknown[]] as const);
  for (const [list] of whole) value[list] = [];
  const left = room - bytesOf(value);
  const cap = level(
    whole.map(([, entries]) => bytesOf(entries)),
    left,
  );
  for (const [list, entries] of whole) value[list] = firstEntries(entries, cap);
  if (whole.every(([list]) => (value[list] as unknown[]).length === 0)) {
    // Each has a first entry larger than its share. Show one of them, so that every page makes progress.
    const [list, entries] = whole.find((each) => each[1].length > 0) ?? [];
    if (list !== undefined) value[list] = entries?.slice(0, 1);
  }
  return Object.fromEntries(whole.map(([list]) => [list, (value[list] as unknown[]).length]));
}

function partsOf(value: Fields, schema: JsonSchema, lists: readonly string[]): Parts {
  const parts: Parts = { texts: [], freeForms: [], innerLists: [] };
  visit(value, schema, undefined);
  return parts;

  function visit(node: unknown, described: JsonSchema | undefined, place: Omit<Part, 'bytes'> | undefined): void {
    if (typeof node === 'string') {
      if (place && node.length * MAX_BYTES_PER_UNIT > MIN_TEXT_BYTES)
        parts.texts.push({ ...place, bytes: bytesOf(node) });
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const its = branchFor(node, described);
    if (Array.isArray(node)) {
      const isOwnList = place?.container === value && lists.includes(place.field);
      if (place && !isOwnList) parts.innerLists.push({ ...place, bytes: bytesOf(node) });
      const { holder, field } = place as Part;
      for (const [key, entry] of node.entries()) visit(entry, its?.items, { container: node, key, holder, field });
      return;
    }
    if (place && !its?.properties) {
      parts.freeForms.push({ ...place, bytes: bytesOf(node) });
      return;
    }
    const fields = node as Fields;
    for (const [field, inner] of Object.entries(fields)) {
      visit(inner, its?.properties?.[field], { container: fields, key: field, holder: fields, field });
    }
  }
}

/** JSON writes control characters as `\u0000`. */
const MAX_BYTES_PER_UNIT = 6;

/** The alternative of `anyOf: [record, null]` and the like that the value matches. */
function branchFor(value: object, schema: JsonSchema | undefined): JsonSchema | undefined {
  const branches = schema?.anyOf ?? schema?.oneOf;
  if (!branches) return schema;
  return branches.find(({ type, properties }) =>
    Array.isArray(value) ? type === 'array' : type === 'object' || properties !== undefined,
  );
}
