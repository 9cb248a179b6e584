import type { AiSession } from '@worktrack/contracts/work-items/sessions';
import { spend } from '../budgets/budgets.ts';
import type { WriteScope } from '../calls/scope.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isHolder } from '../items/lease.ts';
import { priceMicrodollars, type TokenUse } from '../sessions/price.ts';
import { insertSession } from '../sessions/sessions.repository.ts';

export interface SessionReport extends TokenUse {
  readonly model: string;
  readonly provider: string;
  readonly sessionType: string;
  readonly durationMs?: number | undefined;
  /** Default: the agent that holds the item, if this key does. */
  readonly agent?: string | undefined;
  /** What heartbeats have already reported of it. */
  readonly toldMicrodollars?: number | null | undefined;
}

/** Prices a session and stores it. The caller records the event, with whatever else happens to the item. */
export async function keepSession(
  scope: WriteScope,
  item: ItemRecord,
  report: SessionReport,
): Promise<{ readonly session: AiSession; readonly event: NewEvent }> {
  const createdAt = new Date();
  const costMicrodollars = (await priceMicrodollars(report.provider, report.model, report, createdAt)) ?? null;
  await spend(scope, item, (costMicrodollars ?? 0) - (report.toldMicrodollars ?? 0));
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
    agent: report.agent ?? (isHolder(item.lease, scope.caller.keyId) ? item.lease.agent : null),
    keyId: scope.caller.keyId,
    costMicrodollars,
    createdAt,
  });
  return { session, event: { eventType: 'ai_session', data: { ...session } } };
}
