import type { Input } from '@worktrack/contracts/operation';
import { truncated } from '@worktrack/contracts/truncation';
import type { getAiUsage as operation, UsageGroup } from '@worktrack/contracts/work-items/costs/usage';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import type { Under } from '../budgets/budgets.repository.ts';
import { budgetsToShow, over, tightest, toBudget } from '../budgets/budgets.ts';
import type { Scope } from '../calls/scope.ts';
import { idsBelow } from '../context/outline.repository.ts';
import { requireNamed } from '../items/shown/shown.repository.ts';
import { requireProject } from '../projects/projects.repository.ts';
import { type SessionFilter, sumSessions, totalSessions, type UsageSum } from '../sessions/sessions.repository.ts';
import { sumByEpic } from './by-epic.ts';
import { endOf, startOf } from './period.ts';

/** For a work item, by its current tree: items moved below it count, items moved away do not. */
export const getAiUsage: Read<typeof operation> = async (input, context) => {
  const { from, to, groupBy } = input;
  const { item, ...asked } = await subject(input, context);
  const filter: SessionFilter = {
    ...asked,
    from: from === undefined ? undefined : startOf(from),
    before: to === undefined ? undefined : endOf(to),
  };
  // The day before `from` ends where that begins; a period that begins and ends at one moment is empty, however the two are written.
  if (from && to && startOf(from) >= endOf(to) && startOf(from) > startOf(to)) {
    throw context.fail('VALIDATION_FAILED', 'from must not be after to.', {
      details: [{ path: 'from', message: 'must not be after to' }],
    });
  }
  const { organizationId } = context.caller;
  const totals = await totalSessions(organizationId, filter);
  const budgets = await budgetsAsked(context, { item, projectId: asked.projectId });
  const groups = groupBy && (await groupsOf(context, filter, groupBy));
  const all = {
    groups: groups ?? [],
    budgets: budgets.toSorted((a, b) => (a._id < b._id ? -1 : 1)).map(toBudget),
  };
  const room = new AnswerBudget();
  return {
    totals,
    // A project uses only its own budget: one below it limits only a part of the sum.
    budget: tightest(item ? budgets : budgets.filter(({ _id }) => _id === asked.projectId)),
    budgets: room.take(all.budgets),
    ...(groups && { groups: room.take(groups) }),
    ...truncated(room.isTruncated, all),
  };
};

function groupsOf(context: Scope, filter: SessionFilter, groupBy: UsageGroup): Promise<UsageSum[]> {
  return groupBy === 'epic' ? sumByEpic(context, filter) : sumSessions(context.caller.organizationId, filter, groupBy);
}

/** For an item those that apply to it, for a project all that are set in it. Ids sort by time, so the project's own is the first. */
async function budgetsAsked(
  context: ReadContext,
  { item, projectId }: { readonly item?: Under | undefined; readonly projectId?: SessionFilter['projectId'] },
) {
  if (item) return over(await budgetsToShow(context, [item.projectId]), item);
  return projectId === undefined ? [] : budgetsToShow(context, [projectId].flat());
}

async function sessionProject(context: ReadContext<'NOT_FOUND'>): Promise<string | undefined> {
  const { sessionProjectId, projects } = context.caller;
  if (sessionProjectId !== undefined && projects) await requireProject(context, sessionProjectId);
  return sessionProjectId;
}

async function subject(
  { projectId, workItemId }: Input<typeof operation>,
  context: ReadContext<'NOT_FOUND'>,
): Promise<Pick<SessionFilter, 'projectId' | 'itemIds'> & { readonly item?: Under }> {
  if (projectId !== undefined) await requireProject(context, projectId);
  if (workItemId === undefined)
    return { projectId: projectId ?? (await sessionProject(context)) ?? context.caller.projects };
  const item = await requireNamed(context, workItemId);
  if (projectId !== undefined && item.projectId !== projectId) {
    throw context.fail('NOT_FOUND', `There is no work item ${workItemId} in project ${projectId}.`);
  }
  return { item, itemIds: [item._id, ...(await idsBelow(context, item._id))] };
}
