import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { print, printJson, printList, printProblem, printRecord } from './output.ts';

const HOSTILE = 'a\u001b]0;owned\u0007\u009b2J\u202eb\u2066c\rd\u2028e';
const SHOWN = String.raw`a\u001b]0;owned\u0007\u009b2J\u202eb\u2066c\u000dd\u2028e`;

let printed: string[];
beforeEach(() => {
  printed = [];
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((text: string) => printed.push(text));
  }
});
afterEach(() => vi.restoreAllMocks());

const columns = { TITLE: ({ title }: { readonly title: string }) => title };

test.each<[what: string, show: () => void, shown: string]>([
  ['a text', () => print(HOSTILE), SHOWN],
  ['a problem', () => printProblem(`error: ${HOSTILE}`), `error: ${SHOWN}`],
  ['a record', () => printRecord({ Title: HOSTILE }), `Title  ${SHOWN}`],
  ['a list', () => printList([{ title: HOSTILE }], columns, ''), `TITLE\n${SHOWN}`],
])('%s shows what a terminal would obey, and does not send it', (_, show, shown) => {
  show();
  expect(printed).toEqual([shown]);
});

test('a title cannot make another row of a table', () => {
  printList([{ title: 'a\n2  b\tc' }], columns, '');
  expect(printed).toEqual([String.raw`TITLE${'\n'}a\u000a2  b\u0009c`]);
});

test('lines, tabs and what people write with joined characters stay', () => {
  const text = 'first\r\n\tsecond 👩‍💻 שלום\u200f';
  print(text);
  expect(printed).toEqual([text.replace('\r', '')]);
});

test('JSON says the same as before, without anything that a terminal would obey', () => {
  printJson({ title: HOSTILE });
  expect(JSON.parse(printed.join())).toEqual({ title: HOSTILE });
  expect(printed.join()).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
});
