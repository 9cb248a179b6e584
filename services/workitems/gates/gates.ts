import type { Reason } from '@worktrack/contracts/errors';
import type { Gates } from '@worktrack/contracts/projects/project';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { columnAt, columnOfRole } from '../boards/columns.ts';
import { isHandedOver, isPending, type Role, verdictIn } from '../boards/progress.ts';
import type { FailingScope, WriteScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isLive } from '../items/lease.ts';
import { gatesOf } from '../projects/projects.repository.ts';

type Gated = Pick<ItemRecord, 'taskId' | 'type' | 'projectId' | 'boardColumnId' | 'workedBy' | 'handedOverBy'>;

/** A verdict on a task's work. */
export interface Verdict {
  readonly kind: 'review' | 'validation';
  readonly isPass: boolean;
  /** A validation says what it was based on. */
  readonly hasResults?: boolean;
}

/** Gates are for tasks. @returns warnings, if the project only warns @throws CONFLICT, if it enforces them */
export async function passVerdict(
  scope: WriteScope & FailingScope<'CONFLICT'>,
  item: Gated,
  board: BoardRecord,
  verdict: Verdict,
): Promise<string[]> {
  if (item.type !== 'task') return [];
  return judged(scope, item, verdictFaults(item, board, verdict, scope.caller));
}

function verdictFaults(
  { taskId, boardColumnId, workedBy, handedOverBy }: Gated,
  board: BoardRecord,
  { kind, isPass, hasResults = true }: Verdict,
  { keyId, userId }: { readonly keyId: string; readonly userId: string },
): Fault[] {
  const column = columnAt(board, boardColumnId);
  const role = column.role;
  const isThere = verdictIn(role) === kind;
  const isOwn = [workedBy, handedOverBy].some((by) => by?.keyId === keyId || by?.userId === userId);
  const faults: readonly (Fault | false)[] = [
    !isThere && {
      reason: 'not_due',
      text: `${taskId} is in ${column.name}: a ${kind} is for what is ${WAITS[kind]}. ${insteadOf(role)}`,
    },
    isPass &&
      isOwn && {
        reason: 'own_work',
        text: `${taskId} was worked on, or handed over, with this key or by its user: let somebody else pass it.`,
      },
    !hasResults && { text: 'A validation without testResults says nothing: pass { passed, failed }.' },
  ];
  return faults.filter((fault) => fault !== false);
}

interface Fault {
  readonly reason?: Reason;
  readonly text: string;
}
const WAITS: Readonly<Record<Verdict['kind'], string>> = { review: 'in review', validation: 'being tested' };

/** What can be done with a task that another verdict, or none, is due for. */
function insteadOf(role: Role): string {
  if (!isHandedOver(role)) return 'Complete the work first.';
  if (verdictIn(role) === 'review') return 'Complete its review first.';
  if (verdictIn(role) === 'validation') return 'It has passed its review: its validation is next.';
  return 'It has passed already. To send it back, move it to where work begins, with a reason.';
}

/** A column change that no completion makes. */
export interface ByHand {
  readonly force?: boolean | undefined;
}

/** @returns nothing, since a move by hand is nothing to warn about where gates are not enforced @throws CONFLICT */
export async function passByHand(
  scope: WriteScope & FailingScope<'CONFLICT'>,
  item: Gated,
  board: BoardRecord,
  to: ColumnRecord,
  { force }: ByHand,
): Promise<void> {
  const fault = await faultByHand(scope, item, board, to, { force });
  if (fault)
    throw scope.fail('CONFLICT', fault, {
      reason: 'gate',
      details: [{ path: 'force', message: 'may move it with force: true' }],
    });
}

/** The reason against a move by hand where gates are enforced; undefined: none. */
export async function faultByHand(
  scope: WriteScope,
  item: Gated,
  board: BoardRecord,
  to: ColumnRecord,
  { force }: ByHand,
): Promise<string | undefined> {
  const fault = force ? undefined : await enforcedGate(scope, item, board, to);
  return fault && `${fault} ${FORCE}`;
}
const FORCE = 'An owner or admin may move it with force: true.';

/** The gate in the way of a move that nobody can force, such as a release. */
export async function enforcedGate(
  scope: WriteScope,
  item: Gated,
  board: BoardRecord,
  to: ColumnRecord,
): Promise<string | undefined> {
  const fault = item.type === 'task' ? gateInTheWay(item, board, to) : undefined;
  return fault !== undefined && (await gatesOf(scope, item.projectId)) === 'enforce' ? fault : undefined;
}

/** Only a verdict leads past the review, and out of a review or a validation. A move from testing to validating is free. */
function gateInTheWay({ taskId, boardColumnId }: Gated, board: BoardRecord, to: ColumnRecord): string | undefined {
  const from = columnAt(board, boardColumnId);
  const [before, after] = [from.role, to.role];
  if (before === after) return undefined;
  if (before === 'review') return `${taskId} leaves ${from.name} by a verdict: complete its review.`;
  if (before === 'testing' && after === 'validating') return undefined;
  if (verdictIn(before) === 'validation') {
    return `${taskId} leaves ${from.name} by a verdict: complete its validation.`;
  }
  const review = reviewBefore(after, board);
  if (!review || isHandedOver(before)) return undefined;
  return `${taskId} is not reviewed yet: completing the work hands it over to ${review.name}.`;
}

/**
 * Gates are for tasks: what becomes one is not behind a gate that it has not passed, and what is being judged does not cease to be one.
 * @param to where the item is afterwards
 * @throws CONFLICT, where gates are enforced
 */
export async function passAsType(
  scope: WriteScope & FailingScope<'CONFLICT'>,
  item: Gated,
  type: ItemRecord['type'],
  board: BoardRecord,
  to: ColumnRecord,
): Promise<void> {
  const fault = gateAroundType(item, type, board, to);
  if (fault !== undefined && (await gatesOf(scope, item.projectId)) === 'enforce')
    throw scope.fail('CONFLICT', fault, { reason: 'gate' });
}

function gateAroundType(
  { taskId, type: before, boardColumnId }: Gated,
  after: ItemRecord['type'],
  board: BoardRecord,
  to: ColumnRecord,
): string | undefined {
  if ((before === 'task') === (after === 'task')) return undefined;
  const from = columnAt(board, boardColumnId);
  if (before === 'task') {
    return verdictIn(from.role) ? `${taskId} is being judged in ${from.name}: it stays a task until then.` : undefined;
  }
  if (!reviewBefore(to.role, board)) return undefined;
  return `${taskId} would be a task in ${to.name} that nobody has reviewed: move it back to where work begins, then make it a task.`;
}

/** Where a task is reviewed before it gets there. */
function reviewBefore(role: Role, board: BoardRecord): ColumnRecord | undefined {
  return isHandedOver(role) && role !== 'review' ? columnOfRole(board, 'review') : undefined;
}

/** Whether a move by hand sends a task back, which it says a reason for. */
export function isReturnByHand({ type, boardColumnId }: Gated, board: BoardRecord, to: ColumnRecord): boolean {
  const [before, after] = [columnAt(board, boardColumnId).role, to.role];
  return type === 'task' && verdictIn(before) !== undefined && (after === 'in_progress' || isPending(after));
}

/**
 * Who brings it from before its review to there, or behind it: whoever holds it, or else the caller. One who completes it once more does not take
 * the place of the first, nor does one who brings back what was sent back and nobody has taken up.
 */
export function handedOver(
  { caller: { keyId, userId } }: Pick<WriteScope, 'caller'>,
  { lease = null, returned }: Partial<Pick<ItemRecord, 'lease' | 'returned'>>,
  from: Role,
  to: Role,
): Pick<ItemRecord, 'handedOverBy'> {
  if (returned || isHandedOver(from) || !isHandedOver(to)) return {};
  const by = isLive(lease, new Date()) ? lease : { keyId, userId };
  return { handedOverBy: { keyId: by.keyId, userId: by.userId } };
}

async function judged(
  scope: WriteScope & FailingScope<'CONFLICT'>,
  { projectId }: Gated,
  faults: readonly Fault[],
): Promise<string[]> {
  const [first] = faults;
  if (!first) return [];
  const texts = faults.map(({ text }) => text);
  const gates: Gates = await gatesOf(scope, projectId);
  if (gates === 'enforce') throw scope.fail('CONFLICT', texts.join(' '), first.reason && { reason: first.reason });
  return texts;
}
