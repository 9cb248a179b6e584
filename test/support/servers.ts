import { expect, inject } from 'vitest';
import type { Lease } from './lease.ts';

/** By test file: files of one service run in one process. */
const leases = new Map<string, Promise<Lease>>();
const virtualHosts = new Map<string, Promise<string>>();

/**
 * The real servers, for this test file alone: a Redis database and a prefix of MongoDB databases that no other file of the run has. Started by the first file that asks; the same for every call within a file.
 */
export function servers(): Promise<Lease> {
  const { testPath = '' } = expect.getState();
  const lease = leases.get(testPath) ?? watchedLease();
  leases.set(testPath, lease);
  return lease;
}

/** The real broker, for this test file alone. @returns the URL of a virtual host; the same for every call within a file */
export function virtualHost(): Promise<string> {
  const { testPath = '' } = expect.getState();
  const url = virtualHosts.get(testPath) ?? newVirtualHost();
  virtualHosts.set(testPath, url);
  return url;
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

/** As above, of the broker. */
export function newVirtualHost(): Promise<string> {
  return askRun<string>('virtual-host');
}

/** @param what of the run, see global-setup.ts */
export async function askRun<Answer>(what: 'lease' | 'virtual-host' | 'system' | 'served'): Promise<Answer> {
  const response = await fetch(`${inject('testRunUrl')}/${what}`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}
