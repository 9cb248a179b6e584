import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runToEnd } from '@worktrack/stack/processes/run-to-end';
import { Progress } from '@worktrack/stack/report/progress';
import { cacheRoot } from '@worktrack/stack/servers/pip';

/** Packages from PyPI, in a folder of the user's cache. */
export interface PythonPackages {
  readonly folder: string;
  /** Runs Python with them. */
  run(args: readonly string[], folder: string, env?: NodeJS.ProcessEnv): Promise<Ended>;
}

/**
 * Fetches packages if they are not there yet.
 * @param wanted as in `mypy==1.2.3`; the first names the folder
 * @throws when they cannot be fetched
 */
export async function pythonPackages(python: string, wanted: readonly [string, ...string[]]): Promise<PythonPackages> {
  const packages = join(cacheRoot(), wanted[0].replace('==', '-'));
  if (!existsSync(packages)) {
    await new Progress(process.stderr).step(`Installing ${wanted}`, () => install(python, packages, wanted));
  }
  return {
    folder: packages,
    run: (args, folder, env = {}) =>
      runToEnd(python, args, { ...process.env, PYTHONPATH: packages, HOME: folder, ...env }, folder),
  };
}

/** In one step, so that nobody ever sees half of it. */
async function install(python: string, packages: string, wanted: readonly string[]): Promise<void> {
  mkdirSync(cacheRoot(), { recursive: true });
  const work = mkdtempSync(`${packages}.`);
  try {
    const options = ['--target', work, '--disable-pip-version-check', '--no-input', '--no-warn-script-location'];
    const installed = await runToEnd(python, ['-m', 'pip', 'install', ...options, ...wanted]);
    if (!installed.ok) throw new Error(`${wanted} could not be fetched from PyPI: ${installed.lastLine}`);
    if (!existsSync(packages)) renameSync(work, packages);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
