/**
 * `npm run check:scaling [-- FILE]`: whether the numbers of docs/scaling.md, or of another page of that form, are right. In its tables, a row begins with the name
 * of a figure, says where its value comes from, and what it is:
 *   | `create.gateway` | measured | 310 µs |         as in figures.json (`npm run bench -- scaling -- --write`)
 *   | `agents` | assumed | 1 000 |
 *   | `create.cpu` | `create.gateway + create.keys` | 350 µs |     calculated from figures above it
 * In the text, `` `create.cpu` = 350 `` is checked too. A value may be rounded: it is compared in the digits that it shows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [file = join(import.meta.dirname, '../../docs/scaling.md')] = process.argv.slice(2);
const measured: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'figures.json'), 'utf8'),
);

const ROW = /^\| `([a-z][\w.]*)` \| (?:`([^`]+)`|(measured|assumed)) \| (-?[\d ,.]+\d|\d)(?: [^|]*)?\|/;
const IN_TEXT = /`([a-z][\w.]*)` = ([\d ,.]*\d)/g;
const NAME = /[a-z][\w.]*/g;
const FUNCTIONS = { ceil: Math.ceil, max: Math.max };

const known = new Map<string, number>();
const wrong: string[] = [];
let checked = 0;

for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
  const complain = (text: string) => wrong.push(`${file}:${index + 1}: ${text}`);
  const [, name, formula, source, text] = ROW.exec(line) ?? [];
  if (name && text) {
    const value = numberOf(text);
    if (known.has(name)) complain(`${name} is there twice.`);
    const right = formula ? calculated(formula, complain) : source === 'measured' ? measured[name] : value;
    if (right === undefined) complain(`${name} was not measured.`);
    else if (!isSame(value, right)) complain(`${name} is ${right}, not ${text}.`);
    // With what is right: one wrong number is told once.
    known.set(name, right ?? value);
    checked++;
  } else if (/^\| `[a-z][\w.]*` \|/.test(line))
    complain('This row has another form than | `name` | where from | value |.');
  for (const [, quoted = '', shown = ''] of line.matchAll(IN_TEXT)) {
    const right = known.get(quoted);
    if (right === undefined) complain(`${quoted} is not in a table above.`);
    else if (!isSame(numberOf(shown), right)) complain(`${quoted} is ${right}, not ${shown}.`);
    checked++;
  }
}

for (const text of wrong) console.error(text);
console.log(`${checked} numbers, ${wrong.length} wrong.`);
if (wrong.length > 0 || checked === 0) process.exitCode = 1;

function calculated(formula: string, complain: (text: string) => void): number {
  const unknown = new Set<string>();
  const numbers = formula.replaceAll(NAME, (name) => {
    if (name in FUNCTIONS) return name;
    if (!known.has(name)) unknown.add(name);
    return `(${known.get(name) ?? Number.NaN})`;
  });
  if (unknown.size > 0) complain(`${[...unknown].join(', ')}: not in a table above.`);
  if (!/^(?:ceil|max|[\d\s.,+*/()eN-]|a(?=N))+$/.test(numbers)) {
    complain(`“${formula}” is more than + - * / ( ) ceil max.`);
    return Number.NaN;
  }
  return new Function(...Object.keys(FUNCTIONS), `return ${numbers};`)(...Object.values(FUNCTIONS)) as number;
}

function numberOf(text: string): number {
  return Number(text.replaceAll(/[ ,]/g, ''));
}

/** Zeros at the end may be from rounding. */
function isSame(shown: number, right: number): boolean {
  const digits = Math.max(2, Math.abs(shown).toString().replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length);
  return Number(right.toPrecision(digits)) === Number(shown.toPrecision(digits));
}
