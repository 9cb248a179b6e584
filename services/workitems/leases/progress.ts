import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { reportProgress as operation } from '@worktrack/contracts/work-items/agents/progress';
import { DEFAULT_IMPLEMENT_PROVIDER } from '@worktrack/contracts/work-items/costs/sessions';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardOf } from '../boards/boards.repository.ts';
import type { BudgetRecord } from '../budgets/budgets.model.ts';
import { budgetsOver, counted, restOf } from '../budgets/budgets.repository.ts';
import { isUsedUp, spend, tightest } from '../budgets/budgets.ts';
import { answersTo, type NewEvent } from '../history/history.repository.ts';
import { requirePresent } from '../history/require-present.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord, TokenReport } from '../items/lease.model.ts';
import { isLive, renewed, shownLease } from '../items/lease.ts';
import { mentionsIn } from '../items/people.ts';
import { projectHasBudgets } from '../projects/projects.repository.ts';
import { MICRODOLLARS, microdollarsOf, providerOf, type TokenUse } from '../sessions/price.ts';
import { UNKNOWN_MODEL, underOthers, usedBy, useIn } from '../sessions/used.ts';
import { changeItem, renewLease } from '../writes/change-item.ts';
import { tellBeat } from './beats.ts';

type Context = GroupedContext<FailureOf<typeof operation>>;

/** How many are returned at once; the others come with the next heartbeat. */
const MAX_ANSWERS = 20;

/** A working agent's heartbeat: renews the lease, reports how the work is going, and returns what the agent needs to know. */
export const reportProgress: WriteGrouped<typeof operation> = async (input, given) => {
  const now = new Date();
  const item = await requirePresent(given, input.workItemId);
  const before = item.lease;
  if (!isLive(before, now) || before.token !== input.leaseToken) {
    throw given.fail(
      'CONFLICT',
      'The lease of leaseToken does not hold the item: it expired, or the item was moved, released or claimed by another agent. Stop working on it, or claim again.',
    );
  }
  const model = input.model ?? before.report?.model;
  const context = { ...given, by: { agent: before.agent, run: before.run, model } };
  const state = input.state ?? before.state;
  const { question, note, progress, checkpoint } = input;
  if (question !== undefined && state !== 'awaiting_input') {
    throw context.fail('VALIDATION_FAILED', 'state: must be "awaiting_input" to ask a question.', {
      details: [{ path: 'state', message: 'must be "awaiting_input" to ask a question' }],
    });
  }
  const answers = await answersTo(context, item._id, before, {
    after: before.heardRevision,
    limit: MAX_ANSWERS,
  });
  const report = await reportAfter(before.report, input, now);
  const addedMicrodollars = (report?.costMicrodollars ?? 0) - (before.report?.costMicrodollars ?? 0);
  await spend(context, item, { recorded: 0, inFlight: addedMicrodollars });
  const budgets = await budgetsAfter(context, item, addedMicrodollars, now);
  // An agent that may continue was heard before the limit was reached, so each overspends by one heartbeat at most.
  if (addedMicrodollars !== 0)
    for (const budget of budgets)
      if (!isUsedUp(budget)) context.writes.rely(restOf(budget, addedMicrodollars), 'exclusive');
  const isFull = answers.length === MAX_ANSWERS;
  // Repeating the question does not ask it again.
  const isAsked = question !== undefined && question !== before.question;
  const waitsAnew = state === 'awaiting_input' && (isAsked || before.state !== 'awaiting_input');
  const { notices = [], ...kept } = before;
  const lease = renewed(kept, now, before.leaseSeconds, {
    state,
    beats: (before.beats ?? 0) + 1,
    ...(note !== undefined && { note }),
    ...(question !== undefined && { question }),
    ...(waitsAnew && { askedAt: now, askedRevision: item.revision }),
    ...(progress !== undefined && { progress }),
    ...(report && { report }),
    ...(checkpoint !== undefined && { checkpoint: JSON.stringify(checkpoint) }),
    heardRevision: isFull ? (answers.at(-1)?.revision ?? item.revision) : item.revision,
  });
  const asked: NewEvent[] = isAsked
    ? [
        {
          type: 'work_item.commented',
          data: { text: question, question: true, ...mentionsIn(context, question) },
          ofClaim: before.claimedAt,
        },
      ]
    : [];
  const board = await boardOf(context, item);
  if (state === before.state) {
    renewLease(context, item, lease, asked);
  } else {
    const changes = { leaseState: { from: before.state, to: state } };
    const latest = { note: lease.note ?? null, progress: lease.progress ?? null };
    changeItem(context, item, board, { lease }, [
      { type: 'work_item.updated', data: { changes } },
      { type: 'work_item.progress', data: { agent: lease.agent, changes, ...latest } },
      ...asked,
    ]);
  }
  tellBeat(context, item, lease);
  return {
    lease: { ...shown(lease, now), token: lease.token },
    answers: answers.map(({ text, actor, createdAt, revision }) => ({
      ...{ text, actor, createdAt },
      ...(lease.askedRevision !== undefined && revision <= lease.askedRevision && { beforeQuestion: true as const }),
    })),
    budget: tightest(budgets),
    stop: budgets.some(isUsedUp),
    ...(notices.length > 0 && { notices: notices.map((notice) => ({ ...notice, at: notice.at.toISOString() })) }),
  };
};

/** The budgets that apply to the item, as they will be once this heartbeat is stored. */
async function budgetsAfter(
  context: Context,
  item: ItemRecord,
  addedMicrodollars: number,
  now: Date,
): Promise<BudgetRecord[]> {
  if (!(await projectHasBudgets(context, item.projectId))) return [];
  const budgets = await counted(context, await budgetsOver(context, item), now);
  return budgets.map((budget) => ({
    ...budget,
    spentMicrodollars: budget.spentMicrodollars + addedMicrodollars,
    inFlightMicrodollars: (budget.inFlightMicrodollars ?? 0) + addedMicrodollars,
  }));
}

function shown(lease: LeaseRecord, now: Date) {
  const live = shownLease(lease, now);
  if (!live) throw new Error('A lease has expired by being renewed.');
  return live;
}

/** Tokens so far, and what was paid for them, never decrease, so that nothing once reported is lost. */
async function reportAfter(
  before: TokenReport | undefined,
  given: Input<typeof operation>,
  now: Date,
): Promise<TokenReport | undefined> {
  const paidMicrodollars = paidSoFar(given, before);
  const isPaid = given.costUsd !== undefined && paidMicrodollars !== undefined;
  const input = { ...given, ...partsIn(given, before), ...(isPaid && { costUsd: paidMicrodollars / MICRODOLLARS }) };
  const totalTokens = totalOf(input, before);
  if (totalTokens === undefined || (before && totalTokens < before.totalTokens)) return before;
  const model = input.model ?? before?.model ?? UNKNOWN_MODEL;
  const provider = input.provider ?? (await providerAfter(before, model, now));
  const earlier = underOthers(before, { model, provider });
  return {
    ...(await usedBy({ ...useIn({ ...input, totalTokens }), model, provider }, before, now)),
    ...{
      model,
      provider,
      ...(earlier && { earlier }),
      ...(paidMicrodollars !== undefined && { paidMicrodollars }),
      at: now,
    },
  };
}

/** A provider that was given holds for later models, too; one that followed from the model changes with it. */
async function providerAfter(before: TokenReport | undefined, model: string, now: Date): Promise<string> {
  const byDefault = async (of: string) => (await providerOf(of, now)) ?? DEFAULT_IMPLEMENT_PROVIDER;
  if (!before) return byDefault(model);
  const isGiven = before.model === model || before.provider !== (await byDefault(before.model));
  return isGiven ? before.provider : byDefault(model);
}

/** A reported cost replaces an estimate, even a higher one, and never falls. */
function paidSoFar({ costUsd }: Input<typeof operation>, before: TokenReport | undefined): number | undefined {
  if (costUsd === undefined) return before?.paidMicrodollars;
  return Math.max(microdollarsOf(costUsd), before?.paidMicrodollars ?? 0);
}

/** Where only some of the parts are given, the others are as they were. */
function partsIn(given: Input<typeof operation>, before: TokenReport | undefined): Partial<TokenUse> {
  const isInParts = given.inputTokens !== undefined || given.outputTokens !== undefined;
  if (!before || !isInParts || given.totalTokens !== undefined) return {};
  const { cachedInputTokens, cacheWriteTokens } = given;
  const main = {
    inputTokens: given.inputTokens ?? before.inputTokens ?? undefined,
    outputTokens: given.outputTokens ?? before.outputTokens ?? undefined,
  };
  const cached = cachedInputTokens ?? before.cachedInputTokens ?? undefined;
  const written = cacheWriteTokens ?? before.cacheWriteTokens ?? undefined;
  // They are parts of the input, which may have been corrected since.
  const areKept = (cached ?? 0) + (written ?? 0) <= (main.inputTokens ?? 0);
  return { ...main, ...(areKept && { cachedInputTokens: cached, cacheWriteTokens: written }) };
}

/** Of a heartbeat that gives only the parts, or only what was paid. */
function totalOf(
  { totalTokens, inputTokens, outputTokens, costUsd }: Input<typeof operation>,
  before: TokenReport | undefined,
): number | undefined {
  if (totalTokens !== undefined) return totalTokens;
  if (inputTokens !== undefined || outputTokens !== undefined) return (inputTokens ?? 0) + (outputTokens ?? 0);
  return costUsd === undefined ? undefined : (before?.totalTokens ?? 0);
}
