import stringWidth from 'string-width';

const GAP = '  ';
const NOTHING = '-';

/** Set by `--json`: the command then prints only what it created or found, as one JSON document. */
export interface OutputOptions {
  readonly json?: boolean;
}

export type Cell = string | number | boolean | null | undefined;
/** Each by what is in its heading: a field, or what is made of the row. */
type Columns<Row> = Readonly<Record<string, FieldOf<Row> | ((row: Row) => Cell)>>;
type FieldOf<Row> = { [Field in keyof Row]-?: Row[Field] extends Cell ? Field : never }[keyof Row];

/**
 * Every text that a command prints goes through here or `printProblem`. Much of it was written by others, and control characters would be
 * commands to a terminal; bidirectional overrides would make it show something else than it says.
 */
export function print(text: string): void {
  console.log(visible(text));
}

/** One line on standard error. */
export function printProblem(text: string): void {
  console.error(visible(text));
}

/** What a service warned about, one line each on standard error; with `--json`, it is part of the document. */
export function warn({ warnings = [] }: { readonly warnings?: readonly string[] }, { json }: OutputOptions): void {
  if (json) return;
  for (const warning of warnings) printProblem(`Warning: ${warning}`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Lines and tabs stay; what a terminal would obey is escaped as in JSON. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, escaped);
}

export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A list: as JSON, or as a table with a line of headings. */
export function printList<Row>(rows: readonly Row[], columns: Columns<Row>, whenEmpty: string): void {
  const cells = (row: Row) =>
    Object.values(columns).map((of) => text(typeof of === 'function' ? of(row) : (row[of] as Cell)));
  print(rows.length === 0 ? whenEmpty : table([Object.keys(columns), ...rows.map(cells)]));
}

/** One record: a line per field, preceded by its name. */
export function printRecord(fields: Readonly<Record<string, Cell>>): void {
  print(table(Object.entries(fields).map(([name, value]) => [name, text(value)])));
}

/** Columns as wide as their widest cell, in cells of the terminal: a CJK character takes two. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell));
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell + ' '.repeat((widths[i] as number) - stringWidth(cell)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

function text(value: Cell): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // A cell is one line: a line break in a title would make another row.
  return visible(String(value)).replace(/[\n\t]/g, escaped);
}

/** `2026-11-21 14:07` in UTC, which is enough to recognize it by. */
export function minute(timestamp: string | null): string | null {
  return timestamp && `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}`;
}

const SHOWN_CHARACTERS = 60;

/** The start of a text that anybody may have written: control characters would be commands to a terminal. */
export function oneLine(text: string | null): string {
  const line = (text ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
