import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../files/make-directory.ts';
import { StartError } from '../report/start-error.ts';
import { findProgram } from './find-program.ts';

/** Of a log that has grown beyond this, what it holds is moved to `<name>.1`, in the place of what is there. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
const LOOK_AT_LOG_EVERY_MS = 10_000;
/** What the end of a log adds to an error. */
const LOG_TAIL_LINES = 3;

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Takes the output of the program, appended. */
  readonly logFile: string;
  /** For a Node program that reports by `process.send`. */
  readonly ipc?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A program that we run and that never outlives us. It leads its own process group, so that Ctrl-C in a terminal reaches only us and the parts stop in order.
 * If we die without stopping it, the kernel kills it (`setpriv`, on Linux). The signal is SIGKILL, because a frozen process reacts to no other, and all parts
 * keep what they have acknowledged.
 */
export class Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  readonly process: ChildProcess;
  #exit: Exit | undefined;

  static readonly #running = new Set<Child>();
  static #refusesStarts = false;

  private constructor(process: ChildProcess, pid: number, options: ChildOptions) {
    this.process = process;
    this.pid = pid;
    this.name = options.name;
    this.logFile = options.logFile;
    this.exited = new Promise((resolve) => {
      process.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        Child.#running.delete(this);
        resolve(this.#exit);
      });
    });
    Child.#running.add(this);
    const looking = setInterval(() => keepShort(this.logFile), LOOK_AT_LOG_EVERY_MS).unref();
    void this.exited.then(() => clearInterval(looking));
  }

  static async start(options: ChildOptions): Promise<Child> {
    if (Child.#refusesStarts) throw new StartError(`${options.name} was not started: startup was aborted.`);
    const guard = process.platform === 'linux' ? findProgram('setpriv') : undefined;
    const [command, args] = guard
      ? [guard, ['--pdeathsig', 'KILL', '--', options.command, ...options.args]]
      : [options.command, options.args];
    const log = openLog(options.logFile);
    try {
      const child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env,
        detached: true,
        stdio: options.ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      if (child.pid === undefined) throw new Error(`${options.name} has no process id.`);
      const started = new Child(child, child.pid, options);
      if (Child.#refusesStarts) await started.kill();
      return started;
    } finally {
      closeSync(log);
    }
  }

  /** For a startup that is aborted half-way: running parts end, and the remaining ones no longer start. */
  static async stopAll(graceMs: number): Promise<void> {
    Child.#refusesStarts = true;
    await Promise.all([...Child.#running].map((child) => child.stop(graceMs)));
  }

  /** For a process that is exiting and cannot wait for anything. */
  static killAll(): void {
    for (const child of Child.#running) child.signal('SIGKILL');
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** To the whole group with SIGKILL, which the program cannot pass on to its own helpers; else to the program, which stops them itself. */
  signal(signal: NodeJS.Signals): void {
    if (this.#exit) return;
    try {
      process.kill(signal === 'SIGKILL' ? -this.pid : this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** SIGTERM, and SIGKILL once `graceMs` are over. Resolves when the process is gone. */
  async stop(graceMs: number): Promise<Exit> {
    this.signal('SIGTERM');
    // A frozen process does not react to SIGTERM.
    this.signal('SIGCONT');
    const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  async kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return await this.exited;
  }

  /** How it ended and the last lines of its log, for an error message. */
  describeExit(): string {
    const exit = this.#exit;
    const how = !exit
      ? 'is still running'
      : exit.signal
        ? `was ended by ${exit.signal}`
        : `ended with code ${exit.code}`;
    const tail = logTail(this.logFile);
    return `${this.name} ${how}${tail ? `: ${tail}` : ''} (log: ${this.logFile})`;
  }
}

function openLog(path: string): number {
  makeDirectory(dirname(path));
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // There is no log yet.
  }
  return openSync(path, 'a', 0o600);
}

/** The program has it open, for appending: so it is emptied, not renamed. What is written during the copy may be lost. */
function keepShort(path: string): void {
  try {
    if (statSync(path).size <= MAX_LOG_BYTES) return;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  } catch {
    // Somebody has taken it away, or the disk is full: next time.
  }
}

function logTail(path: string): string {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-LOG_TAIL_LINES)
    .join(' | ');
}
