import type { AiSession } from '@worktrack/contracts/work-items/costs/sessions';
import { spend } from '../budgets/budgets.ts';
import type { WriteScope } from '../calls/scope.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { Abandoned, TokenReport } from '../items/lease.model.ts';
import { isHolder } from '../items/lease.ts';
import { providerOf, type TokenUse } from '../sessions/price.ts';
import { insertSession } from '../sessions/sessions.repository.ts';
import { restOf, usedBy, useIn } from '../sessions/used.ts';

export interface SessionReport extends TokenUse {
  readonly model: string;
  /** Default: that of a known model, else `otherwise`. */
  readonly provider?: string | undefined;
  readonly otherwise: string;
  readonly sessionType: string;
  readonly durationMs?: number | undefined;
  /** Default: the agent that holds the item, if this key does. */
  readonly agent?: string | undefined;
}

/** The use of a session before its completion, as heartbeats have reported it, or as it was recorded when its lease ended. */
export interface Begun {
  readonly reported?: TokenReport | undefined;
  readonly abandoned?: Abandoned | undefined;
}

/** Prices a session and stores it. The caller records the event, with whatever else happens to the item. */
export async function keepSession(
  scope: WriteScope,
  item: ItemRecord,
  report: SessionReport,
  { reported, abandoned }: Begun = {},
): Promise<{ readonly session: AiSession; readonly event: NewEvent }> {
  const createdAt = new Date();
  const { model, sessionType, durationMs, agent, otherwise } = report;
  const lease = isHolder(item.lease, scope.caller.keyId) ? item.lease : undefined;
  const provider = report.provider ?? (await providerOf(model, createdAt)) ?? otherwise;
  const whole = await usedBy({ ...useIn(report), model, provider }, reported ?? abandoned, createdAt);
  const used = restOf(whole, abandoned);
  const reportedMicrodollars = reported?.costMicrodollars ?? 0;
  await spend(scope, item, { recorded: used.costMicrodollars ?? 0, inFlight: -reportedMicrodollars });
  const session = insertSession(scope, {
    ...used,
    projectId: item.projectId,
    workItemId: item._id,
    taskId: item.taskId,
    aiModel: model,
    provider,
    durationMs: durationMs === undefined ? null : Math.max(0, durationMs - (abandoned?.durationMs ?? 0)),
    sessionType,
    agent: agent ?? lease?.agent ?? null,
    ...(lease && { run: lease.run }),
    ...(lease?.beats && { heartbeats: lease.beats }),
    keyId: scope.caller.keyId,
    createdAt,
  });
  return { session, event: { type: 'work_item.ai_session', data: { ...session } } };
}
