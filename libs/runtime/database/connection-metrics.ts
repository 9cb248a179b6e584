import { Gauge } from 'prom-client';
import { registry } from '../process/metrics.ts';

const connections = new Gauge({
  name: 'worktrack_database_connections',
  help: 'Connections of the pool to the database: in use by a command, and awaited by one because all are in use.',
  labelNames: ['state'],
  registers: [registry],
});
const inUse = connections.labels('in-use');
const awaited = connections.labels('awaited');

/** The driver reckons in whole milliseconds. */
const ROUNDED_MS = 2;

/** The pool's part of the driver's events (Connection Monitoring and Pooling specification). */
interface PoolEvents {
  on(event: 'connectionCheckOutStarted' | 'connectionCheckedIn', listener: () => void): unknown;
  on(
    event: 'connectionCheckedOut' | 'connectionCheckOutFailed',
    listener: (event: { readonly durationMS: number }) => void,
  ): unknown;
}

/** Once for each client. */
export function countConnections(client: PoolEvents): void {
  const waiting = new Waiting();
  inUse.set(0);
  awaited.set(0);
  client.on('connectionCheckOutStarted', () => waiting.began());
  client.on('connectionCheckOutFailed', ({ durationMS }) => waiting.ended(durationMS));
  client.on('connectionCheckedOut', ({ durationMS }) => {
    waiting.ended(durationMS);
    inUse.inc();
  });
  client.on('connectionCheckedIn', () => inUse.dec());
}

/**
 * Since when commands have waited for a connection. If a command's signal ends its wait, the driver reports nothing more about it (mongodb 7.8, `checkOut`).
 * But connections are given out in order: a wait older than one that got its connection is over.
 */
class Waiting {
  readonly #sinceMs: number[] = [];

  began(): void {
    this.#sinceMs.push(performance.now());
    awaited.set(this.#sinceMs.length);
  }

  ended(durationMs: number): void {
    const sinceMs = performance.now() - durationMs;
    while (this.#isBefore(sinceMs - ROUNDED_MS)) this.#sinceMs.shift();
    if (this.#isBefore(sinceMs + ROUNDED_MS)) this.#sinceMs.shift();
    awaited.set(this.#sinceMs.length);
  }

  #isBefore(timeMs: number): boolean {
    const [first] = this.#sinceMs;
    return first !== undefined && first < timeMs;
  }
}
