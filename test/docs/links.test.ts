import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', 'docs/*.md', 'console/README.md', 'libs/**/README.md'], {
  cwd: repository,
  exclude: (path) => path.includes('node_modules'),
});

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** The places in a page that a link can lead to, as GitHub names them. */
function placesIn(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm);
  const named = [...headings].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  const marked = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id);
  return new Set([...named, ...marked]);
}

test.each(PAGES)('every link of %s leads to a file, and to a section, that is there', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)];
  for (const [link, path = '', place] of links) {
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (place === undefined) expect(globSync(target, { cwd: repository }), link).not.toEqual([]);
    else if (target.endsWith('.md')) expect(placesIn(read(target)), link).toContain(place);
  }
});
