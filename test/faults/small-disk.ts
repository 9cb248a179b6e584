import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@worktrack/stack/processes/find-program';

const OWN_NAMESPACE = ['--mount', '--propagation', 'private'];

/** Why a small disk cannot be mounted here; undefined if it can. */
export function cannotMount(): string | undefined {
  if (process.platform !== 'linux') return 'it needs the mount namespaces of Linux';
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (!findProgram('unshare') || !findProgram('nsenter')) return 'it needs unshare and nsenter (util-linux)';
  // In a container even root may not be allowed to mount. What is mounted here disappears with the namespace of this one command.
  const { status, stderr } = spawnSync('unshare', [...OWN_NAMESPACE, 'mount', '-t', 'tmpfs', 'worktrack', tmpdir()]);
  return status === 0 ? undefined : `mounting is refused: ${stderr.toString().trim()}`;
}

/**
 * A small disk (tmpfs) that only processes started with `program` see. It is mounted in a namespace of its own, held by a process that ends with this one, so
 * nothing has to be unmounted, however the test ends.
 */
export class SmallDisk {
  readonly #root: string;
  readonly #enter: string;
  readonly #folder: string;
  readonly #release: () => Promise<void>;

  private constructor(pid: number, folder: string, release: () => Promise<void>) {
    this.#root = `/proc/${pid}/root`;
    this.#enter = `nsenter --mount=/proc/${pid}/ns/mnt --`;
    this.#folder = folder;
    this.#release = release;
  }

  static async mount(folder: string, mebibytes: number): Promise<SmallDisk> {
    mkdirSync(folder, { recursive: true });
    // `cat` ends when its input does, which is when this process does.
    const script = `mount -t tmpfs -o size=${mebibytes}m worktrack "$0" && echo mounted && exec cat`;
    const holder = spawn('unshare', [...OWN_NAMESPACE, 'sh', '-c', script, folder], {
      stdio: 'pipe',
    });
    let complaint = '';
    holder.stderr.on('data', (data) => (complaint += data));
    const mounted = await Promise.race([
      once(holder.stdout, 'data').then(() => true),
      once(holder, 'exit').then(() => false),
    ]);
    if (!mounted || holder.pid === undefined) throw new Error(`No small disk could be mounted: ${complaint.trim()}`);
    return new SmallDisk(holder.pid, folder, async () => {
      const gone = once(holder, 'exit');
      holder.stdin.end();
      await gone;
    });
  }

  /** A program that runs `command` where the disk is visible. */
  program(command: string): string {
    const path = `${this.#folder}.sh`;
    writeFileSync(path, `#!/bin/sh\nexec ${this.#enter} '${command}' "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** Takes up the last byte, as somebody else's file would. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (const bytes of [Buffer.alloc(1024 * 1024), Buffer.alloc(4096)]) while (written(file, bytes));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler);
  }

  async unmount(): Promise<void> {
    await this.#release();
  }

  get #filler(): string {
    return join(this.#root, this.#folder, 'filler');
  }
}

function written(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
