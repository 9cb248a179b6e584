import type { AiSession } from '@worktrack/contracts/work-items/sessions';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { WriteScope } from '../scope.ts';
import { priceMicrodollars, type TokenUse } from './price.ts';
import { insertSession } from './sessions.repository.ts';

export interface SessionReport extends TokenUse {
  readonly model: string;
  readonly provider: string;
  readonly sessionType: string;
  readonly durationMs?: number | undefined;
}

/** Prices a session and stores it. The event is for the caller to record, with whatever else happens to the item. */
export async function keepSession(
  scope: WriteScope,
  item: ItemRecord,
  report: SessionReport,
): Promise<{ readonly session: AiSession; readonly event: NewEvent }> {
  const createdAt = new Date();
  const session = insertSession(scope, {
    projectId: item.projectId,
    workItemId: item._id,
    taskId: item.taskId,
    aiModel: report.model,
    provider: report.provider,
    totalTokens: report.totalTokens,
    inputTokens: report.inputTokens ?? null,
    outputTokens: report.outputTokens ?? null,
    durationMs: report.durationMs ?? null,
    sessionType: report.sessionType,
    costMicrodollars: (await priceMicrodollars(report.provider, report.model, report, createdAt)) ?? null,
    createdAt,
  });
  return { session, event: { eventType: 'ai_session', data: { ...session } } };
}
