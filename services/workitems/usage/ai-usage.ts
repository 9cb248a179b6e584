import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getAiUsage as operation } from '@worktrack/contracts/work-items/usage';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { outlinesOf } from '../context/outline.repository.ts';
import { requireNamed } from '../items/shown.repository.ts';
import { requireProject } from '../projects/projects.repository.ts';
import { endOf, startOf } from './period.ts';
import { type SessionFilter, sumSessions, totalSessions } from './sessions.repository.ts';

/** Over a work item as its tree is now: what was moved below it counts, what was moved away does not. */
export async function getAiUsage(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { from, to, groupBy } = input;
  const filter: SessionFilter = {
    ...(await subject(input, context)),
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
  if (groupBy === undefined) return { totals };
  return { totals, groups: await sumSessions(organizationId, filter, groupBy) };
}

async function subject(
  { projectId, workItemId }: Input<typeof operation>,
  context: ReadContext<'NOT_FOUND'>,
): Promise<Pick<SessionFilter, 'projectId' | 'itemIds'>> {
  if (projectId !== undefined) await requireProject(context, projectId);
  if (workItemId === undefined) return { projectId: projectId ?? context.caller.sessionProjectId };
  const item = await requireNamed(context, workItemId);
  if (projectId !== undefined && item.projectId !== projectId) {
    throw context.fail('NOT_FOUND', `There is no work item ${workItemId} in project ${projectId}.`);
  }
  const below = await outlinesOf(context, { below: [item._id] });
  return { itemIds: [item._id, ...below.map(({ _id }) => _id)] };
}
