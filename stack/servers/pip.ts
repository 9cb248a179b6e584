import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../processes/find-program.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import type { Progress } from '../report/progress.ts';
import { foundOrInstalled } from './apt.ts';

/** The user's cache folder, for downloads shared by all clones. */
export function cacheRoot(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'worktrack');
}

/**
 * @param otherwise what to do if it cannot be installed
 * @returns a Python with pip, which is installed if missing
 */
export function pythonWithPip(progress: Progress, otherwise: string): Promise<string> {
  return foundOrInstalled(findPip, ['python3', 'python3-pip'], 'pip', progress, otherwise);
}

export async function findPip(): Promise<string | undefined> {
  for (const name of ['python3', 'python']) {
    const python = findProgram(name);
    if (python && (await runToEnd(python, ['-m', 'pip', '--version'])).ok) return python;
  }
  return undefined;
}
