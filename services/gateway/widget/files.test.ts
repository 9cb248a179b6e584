import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWidget } from '../../../widget/build/build.ts';
import { digestOf } from '../http/static-file.ts';
import { loadWidgetFiles } from './files.ts';

let folder: string;
beforeEach(async () => {
  await buildWidget();
  folder = await mkdtemp(join(tmpdir(), 'worktrack-widget-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('files of earlier builds are served, and nothing else that is in the folder is even read', async () => {
  const content = Buffer.from('// an earlier version');
  const pinned = `widget-${digestOf(content)}.js`;
  await writeFile(join(folder, pinned), content);
  await writeFile(join(folder, 'widget-000000000000.js'), content);
  // As a file that a build under way has just given its name.
  await symlink(join(folder, 'gone'), join(folder, `${pinned}.4711`));
  const { byPath } = await loadWidgetFiles(folder);
  expect(byPath.has(`/${pinned}`)).toBe(true);
  expect(byPath.has('/widget-000000000000.js')).toBe(false);
  expect(byPath.has('/widget.js')).toBe(true);
});

test('a folder that is not there is named with the setting that says so', async () => {
  await expect(loadWidgetFiles(join(folder, 'none'))).rejects.toThrow(/^WIDGET_PINNED_DIR: ENOENT.*none/);
});
