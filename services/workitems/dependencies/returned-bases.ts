import type { Rework } from '@worktrack/contracts/work-items/work-item';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsForWrite, boardsWith } from '../boards/boards.repository.ts';
import { columnIn } from '../boards/columns.ts';
import { isPending } from '../boards/progress.ts';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { tell } from '../history/tell.ts';
import { blockedOn } from '../items/attention.ts';
import type { BlockedOn, ItemRecord } from '../items/items.model.ts';
import { dependentsOf, findOutlines } from '../items/items.repository.ts';
import type { Notice, ReturnedBase, Verdict } from '../items/lease.model.ts';
import { isLive } from '../items/lease.ts';
import { inBrief } from '../items/returned.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { adjustItem, written } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';
import { MAX_FOLLOWING_AT_ONCE, markCrossed } from './dependents.ts';

/** A task that was sent back, and why. */
export interface Return extends Pick<Rework, 'summary' | 'issues'> {
  readonly until: Verdict;
}

type Base = Pick<ItemRecord, '_id' | 'taskId' | 'projectId' | 'type'>;

/**
 * Tells those that depend on a task that it was sent back. An agent that holds such a task hears of it with its next heartbeat, and work in progress or handed
 * over is marked until the base passes. A task that nobody has begun is only blocked again (dependents.ts). If there are very many, the rest hear of it later
 * (catch-up.ts).
 */
export async function tellOfReturn(scope: WriteScope, base: Base, why: Return): Promise<void> {
  if (base.type !== 'task') return;
  const dependents = await tasksOn(scope, base);
  const boards = await boardsForWrite(scope, dependents);
  if (dependents.length <= MAX_FOLLOWING_AT_ONCE) return tellEach(scope, base, why, dependents, boards);
  markCrossed(scope, base, new Date(), { until: why.until, ...inBrief(why) });
  const begun = dependents.filter((dependent) => !isUnbegun(dependent, boards));
  tellEach(scope, base, why, begun, boards);
}

/** The dependents that nobody has begun and that have not been told. Telling them blocks them on the base. */
export async function untoldOf(scope: Scope, base: Base): Promise<string[]> {
  const dependents = await tasksOn(scope, base);
  const boards = await boardsWith(scope, dependents);
  const isTold = ({ blocked }: ItemOutline) => blocked?.on.some(({ ref }) => ref === base._id);
  return dependents.filter((each) => isUnbegun(each, boards) && !isTold(each)).map(({ _id }) => _id);
}

/** @param dependents ids */
export async function tellLate(
  scope: WriteScope,
  base: Base,
  why: Return,
  dependents: readonly string[],
): Promise<void> {
  const others = await findOutlines(scope, dependents);
  const stillOn = others.filter(({ dependsOn }) => dependsOn.includes(base._id) || dependsOn.includes(base.taskId));
  tellEach(scope, base, why, stillOn, await boardsForWrite(scope, stillOn));
}

type Boards = ReadonlyMap<string, BoardRecord>;

const isUnbegun = (item: ItemOutline, boards: Boards) => isPending(columnIn(boards, item).role);

function tellEach(
  scope: WriteScope,
  base: Base,
  { until, summary, issues }: Return,
  dependents: readonly ItemOutline[],
  boards: Boards,
): void {
  const at = new Date();
  const { _id: id, taskId } = base;
  const wrong: BlockedOn = { ref: id, taskId, why: 'returned' };
  for (const dependent of dependents) {
    const now = soFarOf(scope, dependent);
    const data = { dependency: taskId, summary, issues };
    const blocked = blockedOn(now, wrong, at);
    if (isUnbegun(now, boards)) {
      adjustItem(scope, dependent, { blocked });
      tell(scope, { ...written(dependent), lease: null }, 'work_item.dependency_returned', data);
      continue;
    }
    const notice: Notice = { kind: 'dependency_returned', taskId, ...inBrief({ summary, issues }), at };
    const lease = isLive(now.lease, at) && { ...now.lease, notices: withNotice(now.lease.notices, notice) };
    const onReturnedBase = [...othersOf(now, base), { id, taskId, until: lastOf(now, base, until) }];
    adjustItem(scope, dependent, { onReturnedBase, blocked, ...(lease && { lease }) });
    // By whoever sent the base back, which is not the agent that holds the dependent.
    tell(scope, { ...written(dependent), lease: null }, 'work_item.dependency_returned', data);
  }
}

/** Until the agent is heard of again: of each base the latest, and no more than its next heartbeat can carry. */
function withNotice(notices: readonly Notice[] = [], notice: Notice): Notice[] {
  return [...notices.filter(({ taskId }) => taskId !== notice.taskId), notice].slice(-MAX_NOTICES);
}
const MAX_NOTICES = 50;

const othersOf = ({ onReturnedBase = [] }: Marked, { _id }: Base) => onReturnedBase.filter(({ id }) => id !== _id);

/** What a validation has sent back must pass one, also if a review on the way there sends it back again. */
function lastOf({ onReturnedBase = [] }: Marked, { _id }: Base, until: Verdict): Verdict {
  return onReturnedBase.some((mark) => mark.id === _id && mark.until === 'validation') ? 'validation' : until;
}
type Marked = Pick<ItemRecord, 'onReturnedBase'>;

/** After a passed verdict, the items that waited for it can rely on their base again. */
export async function tellOfPass(scope: WriteScope, base: Base, passed: readonly Verdict[]): Promise<void> {
  const isOver = ({ id, until }: ReturnedBase) => id === base._id && passed.includes(until);
  // Whatever they have become since they were marked.
  for (const dependent of await dependentsOf(scope, [base._id, base.taskId])) {
    const { onReturnedBase = [] } = soFarOf(scope, dependent);
    const left = onReturnedBase.filter((mark) => !isOver(mark));
    if (left.length < onReturnedBase.length) adjustItem(scope, dependent, { onReturnedBase: left });
  }
}

async function tasksOn(scope: Scope, { _id, taskId, projectId }: Base): Promise<ItemOutline[]> {
  const dependents = await dependentsOf(scope, [_id, taskId]);
  return dependents.filter((each) => each.type === 'task' && each.projectId === projectId && each._id !== _id);
}

/** For whoever hands over, reviews or validates what builds upon it. */
export function baseWarnings({ taskId, onReturnedBase = [] }: Pick<ItemRecord, 'taskId' | 'onReturnedBase'>): string[] {
  return onReturnedBase.map(
    (base) => `${taskId} builds upon ${base.taskId}, which was sent back and has not passed its ${base.until} since.`,
  );
}
