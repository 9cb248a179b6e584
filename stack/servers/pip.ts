import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../processes/find-program.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import type { Progress } from '../report/progress.ts';
import { StartError } from '../report/start-error.ts';
import { installDebianPackages } from './apt.ts';

/** The user's cache folder, for downloads shared by all clones. */
export function cacheRoot(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'worktrack');
}

/**
 * @param otherwise what to do if it cannot be installed
 * @returns a Python with pip, which is installed if missing
 */
export async function pythonWithPip(progress: Progress, otherwise: string): Promise<string> {
  const found = await findPip();
  if (found) return found;
  await installDebianPackages(['python3', 'python3-pip'], 'pip', progress, otherwise);
  const python = await findPip();
  if (!python) throw new StartError(`pip was installed, but python3 does not find it. ${otherwise}`);
  return python;
}

export async function findPip(): Promise<string | undefined> {
  for (const name of ['python3', 'python']) {
    const python = findProgram(name);
    if (python && (await runToEnd(python, ['-m', 'pip', '--version'])).ok) return python;
  }
  return undefined;
}
