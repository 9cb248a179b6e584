import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { takeFolders } from './folder.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'worktrack-spool-')));
afterAll(() => rmSync(root, { recursive: true }));

const SCRIPT = `
  import { takeFolders } from ${JSON.stringify(join(import.meta.dirname, 'folder.ts'))};
  globalThis.folders = await takeFolders(process.argv[1]);
  console.log(JSON.stringify(folders.paths));
  process.stdin.resume();`;

/** A process that has taken folders and keeps them until it is killed. */
async function holder(...wrapper: readonly string[]) {
  const [command = '', ...args] = [...wrapper, process.execPath, '--input-type=module', '--eval', SCRIPT, root];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    paths: JSON.parse(String(line)) as string[],
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const OWN_NETWORK = ['unshare', '--net'];
const cannot = spawnSync('unshare', ['--net', 'true']).status !== 0;

test('each process has a folder of its own, and takes those of processes that were killed', async () => {
  const first = await holder();
  const second = await holder();
  expect([first.paths, second.paths]).toEqual([[join(root, '1')], [join(root, '2')]]);
  await first.kill();
  await second.kill();
  const third = await takeFolders(root);
  const fourth = await takeFolders(root);
  expect([third.paths, fourth.paths]).toEqual([[join(root, '1'), join(root, '2')], [join(root, '3')]]);
  third.release();
  fourth.release();
  expect(readdirSync(join(root, '1'))).toEqual(['lock']);
  expect(statSync(join(root, '1', 'lock'))).toMatchObject({ size: 0, mode: 0o100600 });
});

test.skipIf(cannot)(
  `containers that share nothing but the folder do so, too${cannot ? ' (not here: unshare --net is refused)' : ''}`,
  async () => {
    const here = await holder();
    const there = await holder(...OWN_NETWORK);
    expect(here.paths.filter((path) => there.paths.includes(path))).toEqual([]);
    await here.kill();
    await there.kill();
  },
);

test.skipIf(process.platform !== 'linux').each(['/proc/nope', '/proc/nope/below', '/proc/sys'])(
  'in %s, where nothing can be made, there is an error',
  (path) => {
    // In a process that can be ended: Node's own attempt never ends.
    const script = `
      import { takeFolders } from ${JSON.stringify(join(import.meta.dirname, 'folder.ts'))};
      await takeFolders(process.argv[1]).catch(({ code }) => console.log(code));`;
    const args = ['--input-type=module', '--eval', script, path];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' });
    expect(stdout.trim()).toMatch(/^(ENOENT|EACCES|EPERM)$/);
  },
);

test('a folder is made with those above it', async () => {
  const folders = await takeFolders(join(root, 'new', 'newer'));
  expect(folders.paths).toEqual([join(root, 'new', 'newer', '1')]);
  folders.release();
});
