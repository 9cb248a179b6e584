import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../child.ts';
import { freePort } from '../ports.ts';
import { isRunning, type ProcessIdentity, processIdentity } from '../process-identity.ts';
import { StartError } from '../start-error.ts';

/** Another program may take a port between our look and the server's start. */
const MAX_PORT_ATTEMPTS = 3;
const READY_POLL_MS = 40;
const STOP_GRACE_MS = 15_000;

/** One of RabbitMQ, Redis and the database, as the stack and the tests handle it. */
export interface Server {
  readonly name: string;
  readonly url: string;
  /** Undefined when it is not ours: its URL was given. */
  readonly pid: number | undefined;
  /** Resolves when it is gone and its data are on disk. */
  stop(): Promise<void>;
  /** SIGKILL by default: as in a power cut. Resolves once it is gone, with any other signal at once. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** After `stop` or `kill`: again on the same port and data, ready when this resolves. */
  restart(): Promise<void>;
  /** Called when it ends without having been asked to. */
  onUnexpectedExit(listener: (description: string) => void): void;
}

/** How to run one kind of server. */
export interface ServerKind {
  readonly name: string;
  /** Beside its data; the process is remembered there, so that a stack that was killed leaves nobody on its data. */
  readonly pidFile: string;
  readonly startTimeoutMs: number;
  launch(port: number): Promise<Child>;
  /** Resolves when the server answers as a client needs it; rejects while it does not. */
  probe(port: number): Promise<void>;
  url(port: number): string;
}

export async function startServer(kind: ServerKind): Promise<Server> {
  await endPredecessor(kind);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return new OwnServer(kind, port, await startOn(kind, port));
    } catch (error) {
      if (attempt === MAX_PORT_ATTEMPTS) throw error;
      if (!(error instanceof StartError && /in use|eaddrinuse|address already/i.test(error.message))) throw error;
    }
  }
}

/** A server that somebody else runs. */
export function externalServer(name: string, url: string): Server {
  const notOurs = async () => {
    throw new Error(`${name} at its configured URL is not run by this stack.`);
  };
  return { name, url, pid: undefined, stop: async () => {}, kill: notOurs, restart: notOurs, onUnexpectedExit() {} };
}

class OwnServer implements Server {
  readonly #kind: ServerKind;
  readonly #port: number;
  readonly #listeners: ((description: string) => void)[] = [];
  #child: Child;
  #expectExit = false;

  constructor(kind: ServerKind, port: number, child: Child) {
    this.#kind = kind;
    this.#port = port;
    this.#child = child;
    this.#watch(child);
  }

  get name(): string {
    return this.#kind.name;
  }

  get url(): string {
    return this.#kind.url(this.#port);
  }

  get pid(): number {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    this.#expectExit = true;
    await this.#child.stop(STOP_GRACE_MS);
    rmSync(this.#kind.pidFile, { force: true });
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (signal === 'SIGKILL') this.#expectExit = true;
    this.#child.signal(signal);
    if (signal === 'SIGKILL') await this.#child.exited;
  }

  async restart(): Promise<void> {
    if (!this.#child.exit) throw new Error(`${this.name} is still running.`);
    this.#child = await startOn(this.#kind, this.#port);
    this.#expectExit = false;
    this.#watch(this.#child);
  }

  onUnexpectedExit(listener: (description: string) => void): void {
    this.#listeners.push(listener);
  }

  #watch(child: Child): void {
    void child.exited.then(() => {
      if (this.#expectExit) return;
      for (const listener of this.#listeners) listener(child.describeExit());
    });
  }
}

async function startOn(kind: ServerKind, port: number): Promise<Child> {
  const child = await kind.launch(port);
  const identity = processIdentity(child.pid);
  if (identity) writeFileSync(kind.pidFile, JSON.stringify(identity), { mode: 0o600 });
  try {
    await untilReady(kind, port, child);
    return child;
  } catch (error) {
    await child.kill();
    throw error;
  }
}

async function untilReady(kind: ServerKind, port: number, child: Child): Promise<void> {
  const giveUpAtMs = Date.now() + kind.startTimeoutMs;
  for (;;) {
    const failure = await kind.probe(port).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (child.exit) throw new StartError(child.describeExit());
    if (!failure) return;
    if (Date.now() > giveUpAtMs) {
      throw new StartError(
        `${kind.name} was not ready within ${kind.startTimeoutMs / 1000} s: ${failure instanceof Error ? failure.message : failure} (log: ${child.logFile})`,
      );
    }
    // A starting server announces its readiness in no common way; it is asked.
    await Promise.race([delay(READY_POLL_MS), child.exited]);
  }
}

/** A stack that was killed may have left its server stopping, on the data that we are about to open. */
async function endPredecessor(kind: ServerKind): Promise<void> {
  const predecessor = readIdentity(kind.pidFile);
  if (!predecessor) return;
  const killAtMs = Date.now() + STOP_GRACE_MS;
  for (let signal: NodeJS.Signals = 'SIGTERM'; isRunning(predecessor); await delay(READY_POLL_MS)) {
    if (Date.now() > killAtMs) signal = 'SIGKILL';
    try {
      process.kill(predecessor.pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPERM') {
        throw new StartError(
          `${kind.name} (process ${predecessor.pid}) of another user runs on these data. Stop it first.`,
        );
      }
    }
  }
  rmSync(kind.pidFile, { force: true });
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // None was written, or not to its end: a server that was just being started has opened no data.
  }
}

/** @returns a fresh environment for a server: what a program needs to run, and nothing of ours that it could take for its own settings */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LANG, LC_ALL, TZ, TMPDIR, LD_LIBRARY_PATH } = process.env;
  const given = { PATH, LANG, LC_ALL, TZ, TMPDIR, LD_LIBRARY_PATH };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
