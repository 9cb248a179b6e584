/** A line of the table: what was measured, and its target. */
export type Row = readonly [what: string, measured: number | string, wanted: string];

export function quantile(list: readonly number[], q: number): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * q)] ?? Number.NaN;
}
