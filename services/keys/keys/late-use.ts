import type { Log } from '@worktrack/rpc/types';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import { commitUnlessStale } from '@worktrack/runtime/database/writes/group-commit';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { type KeyDocument, KeyModel } from './keys.model.ts';
import { isLateUseReported } from './keys.repository.ts';

const LAST_HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * LAST_HOUR_MS;
const DEADLINE_MS = 5_000;

/**
 * A key that was replaced and is still in use when its overlap is nearly over, or was refused after it: somebody has forgotten a place where it is
 * configured. Told once a day and key.
 * @param at when it was used, or refused
 */
export async function tellOfLateUse(key: KeyDocument, at: Date, log: Log): Promise<void> {
  const {
    _id: id,
    organizationId,
    name,
    userId,
    replacedBy,
    expiresAt,
    usedAfterRotationAt: reportedAt,
    revision = 0,
  } = key;
  if (!replacedBy || !expiresAt || at.getTime() < expiresAt.getTime() - LAST_HOUR_MS) return;
  if (reportedAt && at.getTime() - reportedAt.getTime() < DAY_MS) return;
  const writes = new WriteSet();
  writes.update(
    KeyModel,
    { organizationId, _id: id, usedAfterRotationAt: reportedAt ?? null },
    { set: { usedAfterRotationAt: at, revision: revision + 1 } },
  );
  const data = { name, userId, replacedBy, expiresAt: expiresAt.toISOString(), refused: at >= expiresAt };
  const scope = { caller: { organizationId, userId, keyId: id }, writes };
  emit(scope, { type: 'key.used_after_rotation', subject: { kind: 'key', id }, revision: revision + 1, data });
  try {
    await commitUnlessStale(writes, Date.now() + DEADLINE_MS, () => isLateUseReported(key, at));
  } catch (error) {
    // It is told with the next use.
    log.warn({ error, keyId: id }, 'Could not report the use of a key that was replaced');
  }
}
