import { inject } from 'vitest';
import type { Lease } from './lease.ts';

let lease: Promise<Lease> | undefined;

/**
 * The three real servers, for this test file alone: a RabbitMQ virtual host, a Redis database and a prefix of MongoDB databases that no other
 * file of the run has. Started by the first file that asks; the same for every call within a file.
 */
export function servers(): Promise<Lease> {
  lease ??= newLease();
  return lease;
}

/** Another part of the servers, for a file that runs two systems which must not meet. */
export async function newLease(): Promise<Lease> {
  const response = await fetch(`${inject('testRunUrl')}/lease`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Lease;
}
