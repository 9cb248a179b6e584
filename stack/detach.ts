import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from './data-dir.ts';
import type { Sink } from './report/progress.ts';

const STDOUT = 1;
/** Set for the process that stays. */
const MARK = 'WORKTRACK_DETACHED';

export const isDetached = process.env[MARK] === '1';

interface Message {
  readonly output?: string;
  readonly ready?: true;
}

/**
 * Runs `start` in a process that outlives this one and its terminal, and shows its output until it is ready.
 * @returns the exit code: 0 once it is ready, else its own
 */
export async function startDetached(args: readonly string[], dataDir: string): Promise<number> {
  const logs = makeFolder(resolve(dataDir), 'logs');
  const log = openSync(join(logs, 'stack.log'), 'a', 0o600);
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), 'start', ...args.filter((arg) => arg !== '--detach')],
    {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, [MARK]: '1' },
    },
  );
  closeSync(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGTERM'));
  return await new Promise((resolveCode, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolveCode(code || 1));
    child.on('message', (message: Message) => {
      if (message.output !== undefined) process.stdout.write(message.output);
      if (message.ready) {
        child.disconnect();
        child.unref();
        resolveCode(0);
      }
    });
  });
}

/** In the process that stays: its log, and the starter's terminal for as long as that exists. */
export const detachedSink: Sink = {
  write(text) {
    try {
      writeSync(STDOUT, text);
    } catch {
      // On a full disk the log lacks a line. Through process.stdout it would be the end of the stack.
    }
    tell({ output: text });
  },
  show: (text) => tell({ output: text }),
};

export function reportReady(): void {
  tell({ ready: true });
}

function tell(message: Message): void {
  // The terminal may be closed at any moment; that is not an error.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
