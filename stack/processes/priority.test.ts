import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Child } from './child.ts';
import { yieldCpu } from './priority.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-priority-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const startChild = (name: string) =>
  Child.start({
    name,
    command: process.execPath,
    args: ['-e', 'process.stdin.resume(); setInterval(() => {}, 60_000)'],
    cwd: folder,
    env: {},
    logFile: join(folder, `${name}.log`),
  });

test('children that yield do so as processes, and as the sessions among which Linux shares its CPUs', async () => {
  const children = await Promise.all(['one', 'two', 'three'].map(startChild));
  try {
    await Promise.all(children.map(({ pid }) => yieldCpu(pid, 10)));
    for (const { pid } of children) {
      expect(getPriority(pid)).toBe(10);
      const session = `/proc/${pid}/autogroup`;
      if (existsSync(session)) expect(readFileSync(session, 'utf8')).toMatch(/ nice 10$/m);
    }
  } finally {
    await Promise.all(children.map((child) => child.kill()));
  }
});

test('a child that has ended is left alone', async () => {
  const child = await startChild('ended');
  await child.kill();
  await expect(yieldCpu(child.pid, 10)).resolves.toBeUndefined();
});
