import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runningStack, takeDataDir } from './data-dir.ts';
import { processIdentity } from './processes/process-identity.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'worktrack-data-dir-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a data directory', () => {
  it('is used by one stack at a time, and a second is told which one has it', () => {
    const first = takeDataDir(folder);
    expect(runningStack(folder)).toEqual(processIdentity(process.pid));
    expect(() => takeDataDir(folder)).toThrow(
      new RegExp(
        `${folder} is in use by another stack \\(process ${process.pid}\\)\\. .*\`npm run stop -- --data-dir ${folder}\``,
      ),
    );
    first.release();
    expect(runningStack(folder)).toBeUndefined();
    takeDataDir(folder).release();
  });

  it('is created if there is none, for its owner alone', () => {
    const taken = takeDataDir(join(folder, 'a', 'b'));
    expect(readdirSync(join(folder, 'a', 'b'))).toContain('lock');
    taken.release();
  });

  it.each([
    {
      left: 'by a process that is gone',
      lock: () => JSON.stringify(processIdentity(gone())) ?? '{"pid":1,"startedAt":"never"}',
    },
    {
      left: 'by a process whose id another one has now',
      lock: () => JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
    },
    { left: 'half-written', lock: () => '{"pid": 12' },
    { left: 'empty', lock: () => '' },
  ])('with a lock left $left is taken over', ({ lock }) => {
    writeFileSync(join(folder, 'lock'), lock());
    expect(runningStack(folder)).toBeUndefined();
    const taken = takeDataDir(folder);
    expect(runningStack(folder)?.pid).toBe(process.pid);
    taken.release();
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });

  it('that cannot be created is refused in one line', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [join(folder, 'file', 'below'), '/proc/worktrack']) {
      expect(() => takeDataDir(path)).toThrow(/^The data directory .* cannot be created: .*$/);
    }
  });
});

/** The id of a process that has ended. */
function gone(): number {
  return spawnSync('true').pid;
}
