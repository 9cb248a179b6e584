import type { Metadata } from '@worktrack/contracts/metadata';
import type { ItemRecord } from './items.model.ts';
import { isLive } from './lease.ts';

/** Keys with a meaning here, by what people and models write instead, in lower case and without word separators. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['dependson', 'dependsOn'],
  ['dependon', 'dependsOn'],
  ['dependencies', 'dependsOn'],
  ['dependency', 'dependsOn'],
  ['blockedby', 'dependsOn'],
  ['ideaid', 'ideaId'],
]);

/** Keys in given metadata that closely resemble one of ours. They are stored unchanged. */
export function keyWarnings(metadata: Metadata = {}): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const meant = MEANT.get(key.toLowerCase().replace(/[^a-z]/g, ''));
    if (meant === undefined || meant === key || value === null) return [];
    return [`metadata.${key} has no meaning here; did you mean ${meant}?`];
  });
}

type Held = Pick<ItemRecord, 'taskId' | 'lease'>;

/** A person may step in, but should know whose work it is. */
export function heldWarnings(items: readonly Held[], keyId: string): string[] {
  const now = new Date();
  return items.flatMap(({ taskId, lease }) => {
    if (!isLive(lease, now) || lease.keyId === keyId) return [];
    return [`${taskId} is held by ${lease.agent} until ${lease.expiresAt.toISOString()}.`];
  });
}

/** The field of a result: absent if there is nothing to warn about. */
export function warned(...warnings: readonly (readonly string[])[]): { warnings?: string[] } {
  const all = warnings.flat();
  return all.length > 0 ? { warnings: all } : {};
}
