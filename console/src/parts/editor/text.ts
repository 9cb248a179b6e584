// What is done to the text of a field. Everything goes through `insert`, so that Ctrl+Z takes it back.

export const TABLE = '\n| A | B |\n| --- | --- |\n|  |  |\n';

/** Puts a text in place of the selection, as if it had been typed. */
export function insert(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // Deprecated, and the only way that keeps what undoing does; Firefox can only insert something.
  const isDone = text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  if (isDone) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const MARK = /^(?<indent>\s*)(?:(?<bullet>[-*+])|(?<number>\d{1,9})(?<after>[.)]))(?<space>\s+)(?<box>\[[ xX]\]\s+)?/;

/** Enter in a list begins its next entry; in an empty entry it ends the list. */
export function continueList(event: KeyboardEvent): void {
  const field = event.target as HTMLTextAreaElement;
  const { value, selectionStart: at, selectionEnd } = field;
  const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.isComposing || event.defaultPrevented || at !== selectionEnd) return;
  // The list of what is offered takes it.
  if (field.getAttribute('aria-expanded') === 'true') return;
  const start = value.lastIndexOf('\n', at - 1) + 1;
  const line = value.slice(start, at);
  const [whole, ...rest] = MARK.exec(line) ?? [];
  if (whole === undefined) return;
  event.preventDefault();
  if (whole.length === line.length) {
    field.setSelectionRange(start, at);
    insert(field, '');
    return;
  }
  const [indent = '', bullet, number, after = '', space = ' ', box] = rest;
  const mark = bullet ?? `${Number(number) + 1}${after}`;
  insert(field, `\n${indent}${mark}${space}${box ? '[ ] ' : ''}`);
}

/** What becomes of a pasted text: an address makes a link of the selection, rows of a spreadsheet a table. @returns '' if it is a text like any other */
export function fromPaste({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, pasted: string): string {
  const selected = value.slice(selectionStart, selectionEnd);
  const isAddress = /^https?:\/\/\S+$/.test(pasted.trim());
  if (isAddress && selected && !/[\n\]]/.test(selected) && !/^https?:/.test(selected)) {
    return `[${selected}](${pasted.trim()})`;
  }
  const rows = pasted.replace(/\r/g, '').replace(/\n$/, '').split('\n');
  const cells = rows.map((row) => row.split('\t'));
  const width = cells[0]?.length ?? 0;
  if (rows.length < 2 || width < 2 || cells.some((row) => row.length !== width)) return '';
  const lineOf = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll('|', '\\|').trim()).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return `\n${[lineOf(head), lineOf(head.map(() => '---')), ...body.map(lineOf)].join('\n')}\n`;
}
