import { expect, inject } from 'vitest';
import type { Lease } from './lease.ts';

let lease: Promise<Lease> | undefined;

/**
 * The three real servers, for this test file alone: a RabbitMQ virtual host, a Redis database and a prefix of MongoDB databases that no other
 * file of the run has. Started by the first file that asks; the same for every call within a file.
 */
export function servers(): Promise<Lease> {
  lease ??= watchedLease();
  return lease;
}

/** The caller may use the database from here: what MongoDB would refuse is refused then. */
async function watchedLease(): Promise<Lease> {
  const { watchDatabase } = await import('../mongodb/watch.ts');
  watchDatabase(expect.getState().testPath ?? 'a test');
  return await newLease();
}

/** Another part of the servers, for a file that runs two systems that must not meet. */
export async function newLease(): Promise<Lease> {
  const response = await fetch(`${inject('testRunUrl')}/lease`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Lease;
}
