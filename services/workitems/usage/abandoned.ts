import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { WriteScope } from '../scope.ts';
import { insertSession } from './sessions.repository.ts';

const SESSION_TYPE = 'abandoned';

/** Records what the beats of a lease told of the tokens that the work has used, where it did. */
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
