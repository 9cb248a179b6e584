import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { whileFrozen } from './frozen.ts';
import { fieldsAfterName } from './process-identity.ts';

test.runIf(process.platform === 'linux')(
  'of processes of which one has crashed none is copied or stays frozen, and it is said what to do',
  async () => {
    const [lives, crashed] = ['sleep', 'true'].map((command) => spawn(command, ['1000'], { detached: true }));
    await once(crashed as object as NodeJS.EventEmitter, 'exit');
    let copied = false;
    const copy = whileFrozen([lives?.pid, crashed?.pid] as number[], async () => (copied = true));
    await expect(copy).rejects.toThrow(
      `Process ${crashed?.pid} of the stack has ended and is being restarted. Try again once it is ready`,
    );
    expect(copied).toBe(false);
    await expect.poll(() => fieldsAfterName(`/proc/${lives?.pid}/stat`)[0]).toBe('S');
    lives?.kill();
  },
);
