import { signal } from '@preact/signals';

/** The cards that are selected on the board, to be changed together, by id. */
export const selected = signal<ReadonlySet<string>>(new Set());
/** Where a selection that is extended begins. */
let last: string | undefined;

export function toggle(id: string): void {
  const all = new Set(selected.value);
  if (!all.delete(id)) all.add(id);
  last = id;
  selected.value = all;
}

/** All from the last one that was selected up to this one; only this one if they are not in the same column. */
export function extendTo(id: string, column: readonly { readonly id: string }[]): void {
  const [from, to] = [last, id].map((end) => column.findIndex((card) => card.id === end)) as [number, number];
  if (from < 0 || to < 0) {
    toggle(id);
  } else {
    const range = column.slice(Math.min(from, to), Math.max(from, to) + 1);
    selected.value = new Set([...selected.value, ...range.map((card) => card.id)]);
  }
}

/** These and no others. */
export function selectThese(ids: readonly string[]): void {
  const all = new Set(ids);
  last = ids.at(-1);
  // What stays the same need not be drawn again.
  if (all.size !== selected.value.size || ids.some((id) => !selected.value.has(id))) selected.value = all;
}

export function selectNothing(): void {
  last = undefined;
  if (selected.value.size > 0) selected.value = new Set();
}
