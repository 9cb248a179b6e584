import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getAiUsage as operation } from '@worktrack/contracts/work-items/usage';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import type { Under } from '../budgets/budgets.repository.ts';
import { budgetsToShow, over, tightest } from '../budgets/budgets.ts';
import { outlinesOf } from '../context/outline.repository.ts';
import { requireNamed } from '../items/shown.repository.ts';
import { requireProject } from '../projects/projects.repository.ts';
import { endOf, startOf } from './period.ts';
import { type SessionFilter, sumSessions, totalSessions } from './sessions.repository.ts';

/** For a work item, by its current tree: items moved below it count, items moved away do not. */
export async function getAiUsage(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { from, to, groupBy } = input;
  const { item, ...asked } = await subject(input, context);
  const filter: SessionFilter = {
    ...asked,
    from: from === undefined ? undefined : startOf(from),
    before: to === undefined ? undefined : endOf(to),
  };
  if (filter.from && filter.before && filter.from > filter.before) {
    throw context.fail('VALIDATION_FAILED', 'from must not be after to.', {
      details: [{ path: 'from', message: 'must not be after to' }],
    });
  }
  const { organizationId } = context.caller;
  const totals = await totalSessions(organizationId, filter);
  const budget = tightest(await budgetsAsked(context, { item, projectId: asked.projectId }));
  if (groupBy === undefined) return { totals, budget };
  return { totals, budget, groups: await sumSessions(organizationId, filter, groupBy) };
}

/** For an item those that apply to it, for a project its own. */
async function budgetsAsked(
  context: ReadContext,
  { item, projectId }: { readonly item?: Under | undefined; readonly projectId?: string | undefined },
) {
  if (item) return over(await budgetsToShow(context, [item.projectId]), item);
  const budgets = projectId === undefined ? [] : await budgetsToShow(context, [projectId]);
  return budgets.filter(({ _id }) => _id === projectId);
}

async function subject(
  { projectId, workItemId }: Input<typeof operation>,
  context: ReadContext<'NOT_FOUND'>,
): Promise<Pick<SessionFilter, 'projectId' | 'itemIds'> & { readonly item?: Under }> {
  if (projectId !== undefined) await requireProject(context, projectId);
  if (workItemId === undefined) return { projectId: projectId ?? context.caller.sessionProjectId };
  const item = await requireNamed(context, workItemId);
  if (projectId !== undefined && item.projectId !== projectId) {
    throw context.fail('NOT_FOUND', `There is no work item ${workItemId} in project ${projectId}.`);
  }
  const below = await outlinesOf(context, { below: [item._id] });
  return { item, itemIds: [item._id, ...below.map(({ _id }) => _id)] };
}
