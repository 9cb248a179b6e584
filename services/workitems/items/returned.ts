import type { Metadata } from '@worktrack/contracts/metadata';
import type { Rework } from '@worktrack/contracts/work-items/work-item';
import type { ColumnRecord } from '../boards/boards.model.ts';
import { isInProgress, type Role } from '../boards/progress.ts';
import type { ItemRecord } from './items.model.ts';
import type { Returned } from './lease.model.ts';

/** Whether a task is waiting to be taken up again. One with a lease, live or expired, belongs to its agent or is free because the lease ended. */
export function isReturned({ returned, lease }: Pick<ItemRecord, 'returned' | 'lease'>, role: Role): boolean {
  return !!returned && !lease && isInProgress(role);
}

/** Whether claiming it means fixing something, including when the agent that was going to did not come back. */
export function isRework({ returned, lease }: Pick<ItemRecord, 'returned' | 'lease'>): boolean {
  return !!(returned ?? lease?.before.returned);
}

/** What to fix, as lists show it. */
const MAX_SUMMARY = 500;
const MAX_ISSUES = 20;

/** What sends a task back says about it. Under a lease it is returned once that is released or has expired. */
export function sentBack(
  { type, lease }: Pick<ItemRecord, 'type' | 'lease'>,
  { from, summary, issues = [] }: Pick<Rework, 'from' | 'summary'> & { readonly issues?: readonly string[] },
  { id: boardColumnId }: ColumnRecord,
): Pick<Partial<ItemRecord>, 'returned' | 'lease'> {
  if (type !== 'task') return {};
  const returned: Returned = { from, at: new Date(), ...inBrief({ summary, issues }) };
  return lease ? { lease: { ...lease, before: { ...lease.before, boardColumnId, returned } } } : { returned };
}

/** As much of it as is kept beside the whole, which is in the metadata of the task that was sent back. */
export function inBrief({ summary, issues }: { readonly summary: string; readonly issues: readonly string[] }) {
  const short = (text: string) => text.slice(0, MAX_SUMMARY);
  return { summary: short(summary), issues: issues.slice(0, MAX_ISSUES).map(short) };
}

export function shownRework({ from, at, summary = '', issues = [] }: Returned): Rework {
  return { from, summary, issues, at: at.toISOString() };
}

/** The effect of a change that does not mention it: a move elsewhere and a new assignee end it. @returns undefined if it stays unchanged */
export function returnedAfter(
  { returned, boardColumnId }: Pick<ItemRecord, 'returned' | 'boardColumnId'>,
  changes: Partial<Pick<ItemRecord, 'boardColumnId' | 'assignee' | 'returned'>>,
): null | undefined {
  if (!returned || changes.returned !== undefined) return undefined;
  const isMoved = (changes.boardColumnId ?? boardColumnId) !== boardColumnId;
  return isMoved || (changes.assignee ?? null) !== null ? null : undefined;
}

/** An agent's complete instructions for rework. They come from the completion's entries in the metadata, which is free-form, so any of them may be gone. */
export function reworkOf(returned: Returned, metadata: Metadata): Rework {
  const shown = shownRework(returned);
  if (returned.from === 'move') return shown;
  if (returned.from === 'review') {
    const review = objectOf(metadata.review);
    return { ...shown, summary: textOf(review.summary), issues: textsOf(review.issues) };
  }
  return { ...shown, ...failedTests(metadata.testResults) };
}

/** What a failed validation says. */
export function failedTests(testResults: unknown): Pick<Rework, 'summary' | 'issues'> {
  const { passed, failed, testFiles, summary: said, issues } = objectOf(testResults);
  const all = typeof passed === 'number' && typeof failed === 'number' ? ` of ${passed + failed}` : '';
  const counted = `${typeof failed === 'number' ? failed : 'Some'}${all} tests failed.`;
  return { summary: textOf(said) || counted, issues: [...textsOf(issues), ...textsOf(testFiles)] };
}

const objectOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
