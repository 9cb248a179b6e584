import { spawn } from 'node:child_process';

export interface Ended {
  readonly ok: boolean;
  readonly output: string;
  /** The last non-empty line of output, for a one-line error. */
  readonly lastLine: string;
}

/** Runs a program that ends on its own, without input. Never rejects because of what the program does. */
export function runToEnd(
  command: string,
  args: readonly string[],
  env = process.env,
  cwd = process.cwd(),
): Promise<Ended> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    const finish = (ok: boolean) => {
      const lines = output.split('\n').map((line) => line.trim());
      resolve({ ok, output, lastLine: lines.findLast((line) => line !== '') ?? '' });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}
