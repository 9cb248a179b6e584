import { fork } from 'node:child_process';
import { join } from 'node:path';

/**
 * A request that differs on every repetition: `{n}` counts up, `{ip}` is a unique address, and `{name}` is the next entry of that list,
 * in path, headers and body.
 */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Request `n` gets entry `n` of each, starting over after the last. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

export interface LoadOptions {
  /** Base addresses; the connections are distributed over them. */
  readonly urls: readonly string[];
  readonly request: LoadRequest;
  readonly connections: number;
  /** Ends after this time, or after this many requests. */
  readonly durationMs?: number;
  readonly requests?: number;
  /** Default: each connection sends its next request as soon as the last one is answered. Otherwise none is sent earlier than this rate allows. */
  readonly perSecond?: number;
  /** The first `{n}`, so that two runs do not repeat each other. */
  readonly firstNumber?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses by status; 0 means a broken connection. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly requests: number;
  /** CPU time of the load itself. */
  readonly cpuMs: number;
  /** The `{n}` of those that did not get a 2xx, at most MAX_REFUSED of them. */
  readonly refused: readonly number[];
}

export const MAX_REFUSED = 100_000;

/** Loads an HTTP server from a separate process, over plain keep-alive sockets: the less the load generator costs, the more of the server is measured. */
export function loadHttp(options: LoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    // In a session of its own, like every part of the system: if Linux shares the CPUs among sessions, it would otherwise share only with its caller.
    const child = fork(join(import.meta.dirname, 'http-load.child.ts'), { execArgv: [], detached: true });
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The load ended with ${code} and gave no result.`)));
    child.send(options);
  });
}
