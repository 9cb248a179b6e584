import type { Child } from '../processes/child.ts';
import { Part } from '../processes/part.ts';
import { freePort } from '../processes/ports.ts';
import { untilReady } from '../processes/until-ready.ts';
import { StartError } from '../report/start-error.ts';

/** Another program may take a port between our check and the server's start. */
const MAX_PORT_ATTEMPTS = 3;
export const STOP_GRACE_MS = 15_000;

/** One of RabbitMQ, Redis and the database, as the stack and the tests handle it. */
export interface Server {
  readonly name: string;
  readonly url: string;
  /** Undefined if somebody else runs it: its URL was given. */
  readonly part: Part | undefined;
}

export interface OwnServer extends Server {
  readonly part: Part;
}

/** How to run one kind of server. */
export interface ServerKind {
  readonly name: string;
  readonly pidFile: string;
  readonly startTimeoutMs: number;
  launch(port: number): Promise<Child>;
  /** Resolves when the server responds as a client needs it to; rejects while it does not. */
  probe(port: number): Promise<void>;
  url(port: number): string;
}

export async function startServer(kind: ServerKind): Promise<OwnServer> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      const part = await Part.start({
        name: kind.name,
        pidFile: kind.pidFile,
        stopGraceMs: STOP_GRACE_MS,
        launch: () => launchAndProbe(kind, port),
      });
      return { name: kind.name, url: kind.url(port), part };
    } catch (error) {
      const portWasTaken = error instanceof StartError && /in use|eaddrinuse/i.test(error.message);
      if (!portWasTaken || attempt === MAX_PORT_ATTEMPTS) throw error;
    }
  }
}

async function launchAndProbe(kind: ServerKind, port: number): Promise<Child> {
  const child = await kind.launch(port);
  try {
    await untilReady(child, () => kind.probe(port), kind.startTimeoutMs);
    return child;
  } catch (error) {
    await child.kill();
    throw error;
  }
}

/** @returns a clean environment for a server: what a program needs to run, and nothing of ours that it could take for its own settings */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LANG, LC_ALL, TZ, TMPDIR, LD_LIBRARY_PATH } = process.env;
  const given = { PATH, LANG, LC_ALL, TZ, TMPDIR, LD_LIBRARY_PATH };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
