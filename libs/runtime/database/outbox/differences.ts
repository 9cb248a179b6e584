import { isDeepStrictEqual } from 'node:util';

/** Each field whose value differs, with both values: what an event says about a change. Timestamps of changes are not changes. */
export function differencesOf<Row extends object>(
  before: Row,
  after: Row,
): Record<string, { from: unknown; to: unknown }> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Row & string>;
  names.delete('updatedAt' as keyof Row & string);
  return Object.fromEntries(
    [...names]
      .filter((name) => !isDeepStrictEqual(before[name], after[name]))
      .map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]),
  );
}
