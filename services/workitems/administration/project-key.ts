import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Scope } from '../calls/scope.ts';
import { keysTaken } from '../projects/projects.repository.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const MAX_LENGTH = 5;

/** A key that no other project of the organization has, so that its task IDs are a series of their own. */
export async function freeKey(scope: Scope & TransactionScope, name: string): Promise<string> {
  const candidates = keysFor(name);
  const taken = await keysTaken(scope, candidates);
  // Of two projects that are created at once, one sees the other's key.
  await oneAtATime(scope, 'project keys');
  return candidates.find((key) => !taken.has(key)) ?? (candidates[0] as string);
}

/** One letter as long as there is one, those of the name first; then more and more of the name. */
export function keysFor(name: string): string[] {
  const letters = name.normalize('NFKD').toUpperCase().match(/[A-Z]/g) ?? ['P'];
  const longer = Array.from({ length: MAX_LENGTH - 1 }, (_, n) => letters.slice(0, n + 2).join(''));
  return [...new Set([...letters, ...LETTERS, ...longer])];
}

/** @returns a warning if another project has the key */
export async function keyShared(scope: Scope, key: string, except?: string): Promise<string[]> {
  const taken = await keysTaken(scope, [key], except);
  return taken.has(key) ? [`Another project has the key ${key}, too: they share one series of numbers.`] : [];
}
