import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Progress } from '../report/progress.ts';
import { Child } from './child.ts';
import { Part } from './part.ts';
import { supervise } from './supervise.ts';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-supervise-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function supervised(cwd = () => folder) {
  const part = await Part.start({
    name: 'Example',
    pidFile: join(folder, 'run', `${crypto.randomUUID()}.pid`),
    stopGraceMs: 1_000,
    launch: () =>
      Child.start({
        name: 'Example',
        command: 'sleep',
        args: ['1000'],
        env: process.env,
        cwd: cwd(),
        logFile: join(folder, 'log'),
      }),
  });
  const lines: string[] = [];
  const restarted: (() => void)[] = [];
  const end = supervise(part, new Progress({ write: (text) => lines.push(text) }), () => restarted.shift()?.());
  return {
    part,
    lines,
    end,
    nextRestart: (failure?: string) =>
      new Promise<void>((resolve) =>
        restarted.push(() => {
          resolve();
          if (failure) throw new Error(failure);
        }),
      ),
  };
}

describe('a supervised part', () => {
  it('that dies is restarted, each time after a longer wait, with a line that says so', async () => {
    const { part, lines, end, nextRestart } = await supervised();
    for (const seconds of [0.2, 0.4]) {
      const [pid, restarted] = [part.pid, nextRestart()];
      process.kill(pid, 'SIGKILL');
      await restarted;
      expect(part.pid).not.toBe(pid);
      expect(lines.splice(0)).toEqual([
        expect.stringMatching(new RegExp(`^Example was ended by SIGKILL .*restarting it in ${seconds} s\\.\n$`)),
        `Example is ready again (process ${part.pid}).\n`,
      ]);
    }
    end();
    await part.stop();
  });

  it('that ran for long and can no longer be started is tried less and less often, too', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      let place = folder;
      const { part, lines, end } = await supervised(() => place);
      vi.setSystemTime(Date.now() + 3_600_000);
      place = join(folder, 'nowhere');
      process.kill(part.pid, 'SIGKILL');
      await expect.poll(() => lines.length).toBe(3);
      expect(lines.map((line) => /restarting it in (\S+) s/.exec(line)?.[1])).toEqual(['0.2', '0.4', '0.8']);
      end();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that runs again is not restarted because a file about it cannot be written, on a full disk for example', async () => {
    const { part, lines, end, nextRestart } = await supervised();
    const restarted = nextRestart('No space left.');
    process.kill(part.pid, 'SIGKILL');
    await restarted;
    await expect.poll(() => lines.length).toBe(3);
    expect(lines.slice(1)).toEqual([
      'What uses Example could not be told of its new process: No space left.\n',
      `Example is ready again (process ${part.pid}).\n`,
    ]);
    end();
    await part.stop();
  });

  it('that is stopped stays stopped', async () => {
    const { part, lines, end } = await supervised();
    await part.stop();
    expect(lines).toEqual([]);
    end();
  });
});
