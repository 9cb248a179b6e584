import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Child } from './child.ts';
import { Part } from './part.ts';
import { isRunning, processIdentity } from './process-identity.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-child-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (script: string) => ({
  name: 'Example',
  command: 'sh',
  args: ['-c', script],
  env: process.env,
  cwd: folder,
  logFile: join(folder, 'logs', `${crypto.randomUUID()}.log`),
});

/** A child that has reached the line `echo up` of its script. */
async function started(script: string): Promise<Child> {
  const child = await Child.start(options(script));
  await expect.poll(() => readFileSync(child.logFile, 'utf8')).toContain('up\n');
  return child;
}

describe('a child', () => {
  it('that does not end on SIGTERM is killed once its grace period is over', async () => {
    const child = await started('trap "" TERM; echo up; while :; do sleep 0.1; done');
    expect(await child.stop(50)).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('that is frozen is stopped all the same', async () => {
    const child = await started('trap "exit 7" TERM; echo up; while :; do sleep 0.01; done');
    child.signal('SIGSTOP');
    expect(await child.stop(10_000)).toEqual({ code: 7, signal: null });
  });

  it('is killed together with everything it has started', async () => {
    const child = await started('sleep 1000 & echo $! > helper; echo up; wait');
    const helper = processIdentity(Number(readFileSync(join(folder, 'helper'), 'utf8')));
    await child.kill();
    await expect.poll(() => helper && isRunning(helper)).toBe(false);
  });

  it('says in one line how it ended, with the end of its log', async () => {
    const child = await Child.start(options('echo one; echo two; echo; echo "three: no such file"; echo; exit 3'));
    await child.exited;
    expect(child.describeExit()).toBe(
      `Example ended with code 3: one | two | three: no such file (log: ${child.logFile})`,
    );
  });

  it('that runs for long keeps the end of what it says, not all', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const long = 'dd if=/dev/zero bs=1048576 count=17 2>&-';
      const child = await Child.start(options(`trap "echo more" USR1; ${long}; echo up; while :; do sleep 0.01; done`));
      const size = (path: string) => statSync(path).size;
      await expect.poll(() => size(child.logFile)).toBe(17 * 1_048_576 + 'up\n'.length);
      vi.advanceTimersByTime(60_000);
      expect(size(`${child.logFile}.1`)).toBe(17 * 1_048_576 + 'up\n'.length);
      child.signal('SIGUSR1');
      await expect.poll(() => readFileSync(child.logFile, 'utf8')).toBe('more\n');
      await child.kill();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that cannot be run is an error, not a child', async () => {
    await expect(Child.start({ ...options(''), cwd: join(folder, 'nowhere') })).rejects.toThrow('ENOENT');
  });

  it.runIf(process.platform === 'linux')(
    'does not outlive the process that started it, even when that is killed and the child is frozen',
    async () => {
      const script = join(folder, 'parent.ts');
      writeFileSync(
        script,
        `import { Child } from ${JSON.stringify(join(import.meta.dirname, 'child.ts'))};
       const child = await Child.start({ name: 'Example', command: 'sleep', args: ['1000'], env: process.env, cwd: '.', logFile: 'log' });
       console.log(child.pid);
       setInterval(() => {}, 1000);`,
      );
      const parent = spawn(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      const [pid] = await once(parent.stdout, 'data');
      const child = processIdentity(Number(pid));
      expect(child).toBeDefined();
      // The watchdog has become the command.
      await expect.poll(() => readFileSync(`/proc/${Number(pid)}/comm`, 'utf8')).toBe('sleep\n');
      process.kill(Number(pid), 'SIGSTOP');
      parent.kill('SIGKILL');
      await expect.poll(() => child && isRunning(child)).toBe(false);
    },
  );
});

it.runIf(process.platform === 'linux')('a part that was frozen stands still, with all its threads', async () => {
  const busy = `new (require('node:worker_threads').Worker)('for (;;);', { eval: true });`;
  const log = join(folder, 'logs', 'busy.log');
  const node = { name: 'Busy', command: process.execPath, env: process.env, cwd: folder, logFile: log };
  const part = await Part.start({
    ...{ name: 'Busy', pidFile: join(folder, 'busy.pid'), stopGraceMs: 1_000 },
    launch: () => Child.start({ ...node, args: ['-e', `${busy}${busy}console.log('up')`] }),
  });
  await expect.poll(() => readFileSync(log, 'utf8')).toBe('up\n');
  const states = () =>
    globSync(`/proc/${part.pid}/task/*/stat`).map((file) => /\) (.)/.exec(readFileSync(file, 'utf8'))?.[1]);
  for (let time = 0; time < 10; time++) {
    await part.kill('SIGSTOP');
    expect(new Set(states())).toEqual(new Set(['T']));
    await part.kill('SIGCONT');
  }
  await part.kill();
});
