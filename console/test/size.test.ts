import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole, type ConsoleBuild } from '../build/build.ts';

const MAX_FIRST_BYTES = 90_000;
const MAX_BYTES = 320_000;

async function compressedBytes({ folder }: ConsoleBuild, files: readonly string[]): Promise<number> {
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
  return contents.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
}

test('at most 90 kB are loaded before the first board is rendered, and there are at most 320 kB in all', async () => {
  const build = await buildConsole();
  expect(await compressedBytes(build, [build.page, ...build.first])).toBeLessThanOrEqual(MAX_FIRST_BYTES);
  expect(await compressedBytes(build, [build.page, ...build.assets])).toBeLessThanOrEqual(MAX_BYTES);
});

test('a visitor loads what is shown later in one language', async () => {
  const { folder, assets, first } = await buildConsole();
  const inJapanese: string[] = [];
  for (const path of assets) {
    if (!first.includes(path) && /\p{Script=Hiragana}/u.test(await readFile(join(folder, path), 'utf8')))
      inJapanese.push(path);
  }
  expect(inJapanese).toEqual([expect.stringMatching(/^assets\/ja-/)]);
});

test('every chunk is a module that a browser accepts, and none needs one that needs it', async () => {
  const { folder, assets } = await buildConsole();
  const chunks = assets.filter((path) => path.endsWith('.js'));
  expect(chunks.length).toBeGreaterThan(10);
  const refused = chunks.filter((path) => spawnSync(process.execPath, ['--check', join(folder, path)]).status !== 0);
  expect(refused).toEqual([]);
  // Chunks that import each other begin with what the other has not defined yet: the screen cannot be loaded.
  const needs = new Map<string, readonly string[]>();
  for (const path of chunks) {
    const code = await readFile(join(folder, path), 'utf8');
    const found = [...code.matchAll(/(?:from|import)"\.\/([^"]+)"/g)];
    needs.set(
      path,
      found.map(([, name]) => `assets/${name}`),
    );
  }
  const needsItself = chunks.filter((path) => {
    const reached = new Set(needs.get(path));
    for (const each of reached) for (const next of needs.get(each) ?? []) reached.add(next);
    return reached.has(path);
  });
  expect(needsItself).toEqual([]);
});

test('the page runs no inline code and applies no inline styles', async () => {
  const { folder, page } = await buildConsole();
  const html = await readFile(join(folder, page), 'utf8');
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, url]) => url?.startsWith('/console/assets/'))).toBe(
    true,
  );
});
