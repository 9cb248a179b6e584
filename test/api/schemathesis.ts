import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Progress } from '@worktrack/stack/progress';
import { type Outcome, runToEnd } from '@worktrack/stack/run-to-end';
import { cacheRoot, pythonWithPip } from '@worktrack/stack/servers/pip';

const VERSION = '4.32.5';
const OTHERWISE = 'Without it the API cannot be tried with requests made from its description.';
const MAIN = 'from schemathesis.cli import schemathesis; schemathesis()';

/**
 * Runs Schemathesis (https://schemathesis.io), which is fetched from PyPI into the user's cache folder the first time.
 * @param folder where it works, and leaves what it remembers
 */
export async function schemathesis(args: readonly string[], folder: string): Promise<Outcome> {
  const progress = new Progress(process.stderr);
  const python = await pythonWithPip(progress, OTHERWISE);
  const packages = join(cacheRoot(), `schemathesis-${VERSION}`);
  if (!existsSync(packages)) await progress.step('Installing Schemathesis', () => install(python, packages));
  const env = { ...process.env, PYTHONPATH: packages, HOME: folder, NO_COLOR: '1', COLUMNS: '160' };
  return await runToEnd(python, ['-c', MAIN, ...args], env, folder);
}

/** In one step, so that nobody ever sees half of it. */
async function install(python: string, packages: string): Promise<void> {
  mkdirSync(cacheRoot(), { recursive: true });
  const work = mkdtempSync(`${packages}.`);
  try {
    const wanted = ['--target', work, '--disable-pip-version-check', '--no-input', `schemathesis==${VERSION}`];
    const installed = await runToEnd(python, ['-m', 'pip', 'install', '--no-warn-script-location', ...wanted]);
    if (!installed.ok) throw new Error(`Schemathesis could not be fetched from PyPI: ${installed.lastLine}`);
    if (!existsSync(packages)) renameSync(work, packages);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
