import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Longer sentences have to be read twice. */
const MAX_WORDS = 30;
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

const repository = join(import.meta.dirname, '../..');
const found = (...patterns: string[]) =>
  globSync(patterns, { cwd: repository, exclude: (path) => /(^|\/)(node_modules|\.cache|dist)$/.test(path) });
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** The reference is made of what the contracts say. */
const PAGES = found('*.md', 'docs/*.md', '{console,libs}/**/README.md').filter((path) => path !== 'docs/reference.md');
const FOLDERS = ['bench', 'cli', 'console', 'libs', 'services', 'stack', 'test', 'widget'];

/** Code, names of pages and addresses are one word each. */
const plain = (text: string) =>
  text.replaceAll(/\[[\w./-]+\.md\]\([^)]*\)|`[^`]*`/g, 'Code').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

function longSentencesOf(paragraphs: readonly string[]): string[] {
  return paragraphs
    .flatMap((paragraph) => [...SENTENCES.segment(plain(paragraph.replaceAll(/\s+/g, ' ')))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.split(' ').filter((word) => /[a-z]/i.test(word)).length > MAX_WORDS);
}

/** Paragraphs, headings, elements of lists and cells of tables. */
function paragraphsOf(page: string): string[] {
  const prose = page.replaceAll(/```[\s\S]*?```|<!--[\s\S]*?-->/g, '\n\n');
  return prose.split(/\n\s*\n|\n(?=\s*(?:[-*#>]|\d+\.)\s)|(?<!\\)\|/);
}

/** The comments of a file: each paragraph of a block, and consecutive lines as one. */
function commentsOf(source: string): string[] {
  const lines = source.matchAll(/^\s*(?:\/\*\*?|\*\/?|\/\/)(.*)$|^.*$/gm);
  const text = [...lines].map(([, comment]) => comment?.replace('*/', '').trim() ?? '').join('\n');
  return text.split(/\n\s*\n|\n(?=[-|]|\d+\.)|@(?:param|returns|throws) /);
}

test.each(PAGES)('%s has no sentence of more than 30 words', (page) => {
  expect(longSentencesOf(paragraphsOf(read(page)))).toEqual([]);
});

test.each(FOLDERS)('no comment in %s has a sentence of more than 30 words', (folder) => {
  const long = found(`${folder}/**/*.{ts,tsx}`).flatMap((path) =>
    longSentencesOf(commentsOf(read(path))).map((sentence) => `${path}: ${sentence}`),
  );
  expect(long).toEqual([]);
});
