import { accessSync, constants, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Progress } from '@worktrack/stack/report/progress';
import { foundOrInstalled } from '@worktrack/stack/servers/apt';

const LIBRARY_FOLDERS = '/usr/lib';

/** libfaketime (https://github.com/wolfcw/libfaketime), if it is or can be installed; otherwise why it cannot. */
export async function findFaketime(): Promise<{ readonly library: string } | { readonly missing: string }> {
  if (process.platform !== 'linux') return { missing: 'libfaketime is looked for on Linux alone' };
  const progress = new Progress(process.stderr);
  try {
    return { library: await foundOrInstalled(faketimeLibrary, ['libfaketime'], 'libfaketime', progress, '') };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/** Debian keeps it in the folder for the machine's architecture (multiarch). */
function faketimeLibrary(): string | undefined {
  return readdirSync(LIBRARY_FOLDERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(LIBRARY_FOLDERS, name, 'faketime', 'libfaketime.so.1'))
    .find((path) => readable(path));
}

function readable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A wall clock for each replica of a service, which the test moves while the process runs. Timers and deadlines run on, as with a real clock that is set. */
export class Clocks {
  readonly #library: string;
  readonly #folder: string;

  /** @param folder for the files that the processes read their clocks from */
  constructor(library: string, folder: string) {
    this.#library = library;
    this.#folder = folder;
  }

  /** What a process needs in order to run by its clock. */
  environmentOf(id: string): Record<string, string> {
    this.#write(id, 0);
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: join(this.#folder, id),
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Sets the clocks of these replicas ahead of the true time, or behind it, from the next time they read them. */
  set(ids: readonly string[], offsetSeconds: number): void {
    for (const id of ids) this.#write(id, offsetSeconds);
  }

  /** Removes what the library leaves in the machine's memory of processes that were killed. */
  static forget(pids: readonly number[]): void {
    for (const pid of pids) {
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) {
        rmSync(join('/dev/shm', name), { force: true });
      }
    }
  }

  #write(id: string, offsetSeconds: number): void {
    // In one step, because it may be read at any moment.
    const path = join(this.#folder, id);
    writeFileSync(`${path}.new`, `${offsetSeconds >= 0 ? '+' : ''}${offsetSeconds}\n`);
    renameSync(`${path}.new`, path);
  }
}
