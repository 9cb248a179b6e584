import { expect, inject } from 'vitest';
import type { Lease } from './lease.ts';

/** By test file: files of one service run in one process. */
const leases = new Map<string, Promise<Lease>>();

/**
 * The three real servers, for this test file alone: a RabbitMQ virtual host, a Redis database and a prefix of MongoDB databases that no other
 * file of the run has. Started by the first file that asks; the same for every call within a file.
 */
export function servers(): Promise<Lease> {
  const { testPath = '' } = expect.getState();
  const lease = leases.get(testPath) ?? watchedLease();
  leases.set(testPath, lease);
  return lease;
}

/** The caller may use the database from here: what MongoDB would refuse is refused then. */
async function watchedLease(): Promise<Lease> {
  const { watchDatabase } = await import('../mongodb/watch.ts');
  watchDatabase(() => expect.getState().testPath ?? 'a test');
  return await newLease();
}

/** Another part of the servers, for a file that runs two systems that must not meet. */
export function newLease(): Promise<Lease> {
  return askRun<Lease>('lease');
}

/** @param what of the run, see global-setup.ts */
export async function askRun<Answer>(what: 'lease' | 'system' | 'served'): Promise<Answer> {
  const response = await fetch(`${inject('testRunUrl')}/${what}`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}
