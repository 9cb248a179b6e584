import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Of any element whatever, which one it is among its siblings. */
const OF_EVERY = /[+~]\s*\*|(?:^|[\s>+~])(?::not\()?:(?:first|last|nth|only)-/m;

test('no style asks of every element where it stands: where one is added or taken away, all of its siblings would be styled anew, with all that is in them', () => {
  const folder = join(import.meta.dirname, '..');
  const sheets = globSync('**/*.css', { cwd: folder });
  expect(sheets.length).toBeGreaterThan(20);
  const comments = /\/\*[\s\S]*?\*\//g;
  const found = sheets.filter((path) => OF_EVERY.test(readFileSync(join(folder, path), 'utf8').replace(comments, '')));
  expect(found).toEqual([]);
});

test.each(['.a > * + *', '.a > :first-child', '.a > :not(:last-child)', '.a ~ *'])('%s does', (selector) =>
  expect(OF_EVERY.test(`${selector} {}`)).toBe(true),
);
