import type { WriteScope } from '../calls/scope.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { insertSession } from './sessions.repository.ts';

const SESSION_TYPE = 'abandoned';

/** Records the tokens that a lease's heartbeats reported, if any. */
export function abandonSession(
  scope: WriteScope,
  { _id, taskId, projectId, lease }: Pick<ItemRecord, '_id' | 'taskId' | 'projectId' | 'lease'>,
): NewEvent[] {
  if (!lease?.report) return [];
  const { at, model, ...used } = lease.report;
  const session = insertSession(scope, {
    ...used,
    projectId,
    workItemId: _id,
    taskId,
    aiModel: model,
    durationMs: Math.max(0, at.getTime() - lease.claimedAt.getTime()),
    sessionType: SESSION_TYPE,
    agent: lease.agent,
    keyId: lease.keyId,
    createdAt: new Date(),
  });
  return [{ eventType: 'ai_session', data: { ...session } }];
}
