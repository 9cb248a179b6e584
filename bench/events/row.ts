/** A line of the table: what was measured, and its target. */
export type Row = readonly [what: string, measured: number | string, wanted: string];
