import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { claimWorkItem as operation } from '@worktrack/contracts/work-items/agents/leases';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { attachmentsOf } from '../attachments/attachments.repository.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { requireColumnOfRole, roleAt } from '../boards/columns.ts';
import { isInProgress } from '../boards/progress.ts';
import { restOf } from '../budgets/budgets.repository.ts';
import { over } from '../budgets/budgets.ts';
import { latestEvents, type NewEvent } from '../history/history.repository.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findItem } from '../items/items.repository.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { isLive, renewed, termOf } from '../items/lease.ts';
import { shownPrevious } from '../items/previous.ts';
import { reworkOf } from '../items/returned.ts';
import { toWorkItem } from '../items/shown/present.ts';
import { moveTo } from '../moves/move.ts';
import { changeItem, renewLease } from '../writes/change-item.ts';
import { tellBeat } from './beats.ts';
import { bestOfItems, bestOfProject, type Choice } from './best-ready.ts';
import type { Candidate } from './candidates.repository.ts';
import { oneOf } from './reservations.ts';
import { itemIdOf, newToken } from './token.ts';

type Claim = Output<typeof operation>;
type Context = GroupedContext<FailureOf<typeof operation>>;

/** Of any number of agents that ask at once, each gets a different task, or learns why there is none. */
export const claimWorkItem: WriteGrouped<typeof operation> = (input, context) => {
  const { leaseToken } = input;
  return leaseToken === undefined ? claimBest(input, context) : renew(input, leaseToken, context);
};

const claimBest: WriteGrouped<typeof operation> = async (input, given) => {
  const context = { ...given, by: { agent: input.agent, run: uuidv7() } };
  const now = new Date();
  const projectId = input.projectId ?? context.caller.sessionProjectId;
  // To a limited caller its projects are all that there is.
  const projects = projectId === undefined ? context.caller.projects : [projectId];
  if (input.ids === undefined && projects === undefined) {
    throw context.fail(
      'VALIDATION_FAILED',
      `Pass projectId, or name the items to choose from, or connect to /mcp?projectId=<id>. ${WHERE_PROJECT_IDS_ARE}.`,
      {
        details: [{ path: 'projectId', message: 'is required where no items are named' }],
      },
    );
  }
  const choice =
    input.ids === undefined
      ? await bestOfProjects(context, projects ?? [], now)
      : await bestOfItems(context, input.ids, projectId, now);
  if ('reason' in choice) return { claimed: false, workItem: null, lease: null, reason: choice.reason };
  if ('reserved' in choice) {
    // Others are about to take everything there is. If one of them does not, it is for this one.
    await oneOf(choice.reserved);
    throw new Stale();
  }
  context.writes.afterwards(choice.release);
  const item = await findItem(context, choice.best._id);
  // Since it was chosen, another replica may have taken it, or something it depends on may have been taken back.
  if (!item || !isAsChosen(item, choice.best, now)) throw new Stale();
  for (const budget of over(choice.budgets, item)) context.writes.rely(restOf(budget));
  return take(item, input, now, context);
};

/** The first of them that has something to take, or, if none has, why. */
async function bestOfProjects(context: Context, projectIds: readonly string[], now: Date): Promise<Choice> {
  const reasons = new Set<string>();
  for (const projectId of projectIds) {
    const choice = await bestOfProject(context, projectId, now);
    if (!('reason' in choice)) return choice;
    // Of several, one that was deleted since, or has no column for work, keeps nobody from the others.
    if (choice.problem && projectIds.length === 1) throw choice.problem;
    reasons.add(choice.reason);
  }
  if (reasons.size === 0) return { reason: 'Your key and its user have no project in common.' };
  return { reason: [...reasons].join(' ') };
}

/** A task from a list was chosen by planning the tasks as they were then; a task of a project, by its stored fields. */
function isAsChosen({ revision, claimOrder, claimableFrom }: ItemRecord, chosen: Candidate, now: Date): boolean {
  if (chosen.revision !== undefined) return revision === chosen.revision;
  return claimOrder !== null || (claimableFrom !== null && claimableFrom <= now);
}

async function take(
  item: ItemRecord,
  input: Input<typeof operation>,
  now: Date,
  context: Context & { readonly by: { readonly agent: string; readonly run: string } },
): Promise<Claim> {
  const { _id, boardColumnId, assignee, assigneeId, isAiProcessing, claimedBy, returned } = item;
  const lease: LeaseRecord = {
    token: newToken(_id),
    keyId: context.caller.keyId,
    agent: input.agent,
    run: context.by.run,
    claimedAt: now,
    ...termOf(now, input.leaseSeconds),
    state: 'working',
    userId: context.caller.userId,
    heardRevision: item.revision,
    // After an agent that did not come back, still the state before that one.
    before: {
      ...(item.lease?.before ?? { boardColumnId, assignee, assigneeId, isAiProcessing, claimedBy }),
      ...(returned && { returned }),
    },
  };
  const { agent } = input;
  const changes = {
    ...{ assignee: agent, claimedBy: agent, isAiProcessing: true, lease },
    workedBy: { keyId: context.caller.keyId, userId: context.caller.userId },
    ...(returned && { returned: null }),
  };
  const events: NewEvent[] = [
    ...(assignee === input.agent
      ? []
      : [{ type: 'work_item.updated' as const, data: { changes: { assignee: { from: assignee, to: input.agent } } } }]),
    { type: 'work_item.claimed', data: { agent: input.agent, expiresAt: lease.expiresAt } },
  ];
  const board = await boardOf(context, item);
  const inProgress = requireColumnOfRole(context, board, ['in_progress'], 'give it one to claim its tasks');
  const taken = isInProgress(roleAt(board, boardColumnId))
    ? changeItem(context, item, board, changes, events)
    : (await moveTo(context, item, board, inProgress, { changes, events })).moved;
  const toMend = lease.before.returned;
  return {
    ...claimed(toWorkItem(taken, board), lease),
    ...(await surroundingsOf(context, item)),
    ...(toMend && { rework: reworkOf(toMend, item.metadata) }),
    ...(taken.previous && { previous: shownPrevious(taken.previous) }),
  };
}

const MAX_ANSWERS = 20;

/** What the work needs besides the item, so that an agent can begin without asking for more. */
async function surroundingsOf(context: Context, item: ItemRecord) {
  const { _id, parentId } = item;
  const [parent, attachments, comments] = await Promise.all([
    parentId === null ? null : findItem(context, parentId),
    attachmentsOf(context, _id),
    latestEvents(context, item, { eventType: 'comment' }, { limit: MAX_ANSWERS }),
  ]);
  const answers = comments
    .toReversed()
    .map(({ event: { data, actor, createdAt } }) => ({ text: String(data.text), actor, createdAt }));
  return {
    ...(parent && { parent: { taskId: parent.taskId, title: parent.title, description: parent.description } }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ fileName }) => fileName) }),
    ...(answers.length > 0 && { answers }),
  };
}

async function renew(input: Input<typeof operation>, leaseToken: string, context: Context): Promise<Claim> {
  const now = new Date();
  const itemId = itemIdOf(leaseToken);
  const item = itemId === undefined ? null : await findItem(context, itemId);
  if (!item || !isLive(item.lease, now) || item.lease.token !== leaseToken) {
    throw context.fail(
      'CONFLICT',
      'The lease of leaseToken has ended: it expired, or the item was moved, released, deleted or claimed by another agent. Claim again without leaseToken.',
    );
  }
  const lease = renewed(item.lease, now, input.leaseSeconds);
  renewLease(context, item, lease);
  tellBeat(context, item, lease);
  return claimed(toWorkItem({ ...item, lease }, await boardOf(context, item)), lease);
}

function claimed(workItem: Claim['workItem'], { token, expiresAt }: LeaseRecord): Claim {
  return { claimed: true, workItem, lease: { token, expiresAt: expiresAt.toISOString() } };
}
