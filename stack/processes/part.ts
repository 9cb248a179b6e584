import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../report/start-error.ts';
import type { Child } from './child.ts';
import { untilFrozen } from './frozen.ts';
import { isRunning, type ProcessIdentity, processIdentity } from './process-identity.ts';

const PREDECESSOR_POLL_MS = 50;

export interface PartOptions {
  readonly name: string;
  /** Records the process, so that a killed stack leaves none behind on the data and ports that the next one opens. */
  readonly pidFile: string;
  /** After SIGTERM, before SIGKILL. */
  readonly stopGraceMs: number;
  /**
   * Starts the program and resolves once it is ready; if it rejects, nothing of it is left. What takes long to be ready, because it waits for another part,
   * calls `started` first, so that it can be killed meanwhile.
   */
  launch(started?: (child: Child) => void): Promise<Child>;
}

/** One process of the stack, through its deaths and restarts: a server, or a replica of a service. */
export class Part {
  readonly #options: PartOptions;
  readonly #listeners: ((description: string) => void)[] = [];
  #child: Child;
  #exitIsWanted = false;

  private constructor(options: PartOptions, child: Child) {
    this.#options = options;
    this.#child = child;
    this.#adopt(child);
  }

  static async start(options: PartOptions): Promise<Part> {
    mkdirSync(dirname(options.pidFile), { recursive: true, mode: 0o700 });
    await endPredecessor(options);
    return new Part(options, await options.launch());
  }

  get name(): string {
    return this.#options.name;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Resolves when it is gone, gracefully if possible. */
  async stop(): Promise<void> {
    this.#exitIsWanted = true;
    await this.#child.stop(this.#options.stopGraceMs);
    rmSync(this.#options.pidFile, { force: true });
  }

  /** SIGKILL by default, as in a power cut: resolves once it is gone. After SIGSTOP, resolves once it stands still. Any other signal (SIGCONT) is only sent. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (signal !== 'SIGKILL') {
      this.#child.signal(signal);
      if (signal === 'SIGSTOP' && !this.#child.exit) await untilFrozen(this.#child.pid);
      return;
    }
    this.#exitIsWanted = true;
    await this.#child.kill();
  }

  /** After it ended for whatever reason: again on the same port and data. Resolves when it is ready. */
  async restart(): Promise<void> {
    if (!this.#child.exit) throw new Error(`${this.name} is still running.`);
    this.#child = await this.#options.launch((child) => {
      this.#child = child;
    });
    this.#exitIsWanted = false;
    this.#adopt(this.#child);
  }

  /** Called with one line when it ends without `stop` or `kill`. */
  onUnexpectedExit(listener: (description: string) => void): void {
    this.#listeners.push(listener);
  }

  #adopt(child: Child): void {
    try {
      writeFileSync(this.#options.pidFile, JSON.stringify(processIdentity(child.pid)), { mode: 0o600 });
    } catch {
      // On a full disk. The kernel ends it with us, too (child.ts).
    }
    void child.exited.then(() => {
      if (this.#exitIsWanted) return;
      for (const listener of this.#listeners) listener(child.describeExit());
    });
  }
}

async function endPredecessor({ name, pidFile, stopGraceMs }: PartOptions): Promise<void> {
  const predecessor = readIdentity(pidFile);
  if (!predecessor) return;
  const killAtMs = Date.now() + stopGraceMs;
  for (let signal: NodeJS.Signals = 'SIGTERM'; isRunning(predecessor); await delay(PREDECESSOR_POLL_MS)) {
    if (Date.now() > killAtMs) signal = 'SIGKILL';
    try {
      process.kill(predecessor.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') {
        throw new StartError(
          `${name} of another user (process ${predecessor.pid}) is running on this data. Stop it first.`,
        );
      }
    }
  }
  rmSync(pidFile, { force: true });
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // There was none, or it was killed during startup.
  }
}
