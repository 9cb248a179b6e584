/** Prints rows under a heading, each column as wide as needed, numbers right-aligned. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? readable(cell) : cell)));
  const widths = head.map((title, i) => Math.max(title.length, ...texts.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[], of: readonly (string | number)[]): string =>
    cells
      .map((cell, i) => (typeof of[i] === 'number' ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ');
  console.log(line(head, rows[0] ?? head));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const [i, row] of texts.entries()) console.log(line(row, rows[i] ?? row));
}

function readable(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
