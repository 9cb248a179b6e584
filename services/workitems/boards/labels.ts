import type { OperationError } from '@worktrack/contracts/errors';
import { type Label, MAX_LABELS_OF_ITEM } from '@worktrack/contracts/projects/label';
import type { FailingScope } from '../calls/scope.ts';
import type { LabelRecord } from '../projects/projects.model.ts';
import type { BoardRecord } from './boards.model.ts';

/** Whether a label has this name, in any case. */
export function isNamed({ name }: Pick<LabelRecord, 'name'>, wanted: string): boolean {
  return folded(name) === folded(wanted);
}
const folded = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/\p{DI}/gu, '')
    .toLowerCase();

/** Those of an item as they are shown, by name; one that was deleted is none. */
export function labelsOf(board: BoardRecord | undefined, ids: readonly string[] | undefined): Label[] {
  const wanted = new Set(ids);
  const found = wanted.size === 0 ? [] : (board?.labels ?? []).filter(({ id }) => wanted.has(id));
  return found.map(({ id, name, colour }) => ({ id, name, colour })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** The ids of the labels that are meant, each once and in one order. @param refs ids and names. @param path where they were given */
export function requireLabels(
  scope: FailingScope<'VALIDATION_FAILED'>,
  { labels = [] }: Pick<BoardRecord, 'labels'>,
  refs: readonly string[],
  path = 'labels',
): string[] {
  const found = refs.map((ref, index) => labelMeant(labels, ref) ?? noLabel(scope, labels, ref, `${path}.${index}`));
  return [...new Set(found)].sort();
}

interface Changes {
  /** Instead of those that it has. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
}

/** The ids of the labels that an item has after a change; undefined: no change. */
export function changedLabels(
  scope: FailingScope<'VALIDATION_FAILED'>,
  board: Pick<BoardRecord, 'labels'>,
  item: { readonly labels?: readonly string[] | undefined },
  { labels, addLabels, removeLabels }: Changes,
): string[] | undefined {
  if (!labels && !addLabels && !removeLabels) return undefined;
  const given = labels ? requireLabels(scope, board, labels) : (item.labels ?? []);
  const added = requireLabels(scope, board, addLabels ?? [], 'addLabels');
  const removed = new Set(requireLabels(scope, board, removeLabels ?? [], 'removeLabels'));
  const after = [...new Set([...given, ...added])].filter((id) => !removed.has(id)).sort();
  // Those of the project that were deleted since do not count.
  const known = after.filter((id) => board.labels?.some((label) => label.id === id));
  if (known.length <= MAX_LABELS_OF_ITEM) return after;
  const message = `would have ${known.length} labels, and may have ${MAX_LABELS_OF_ITEM}`;
  throw scope.fail('VALIDATION_FAILED', `The work item ${message}.`, { details: [{ path: 'addLabels', message }] });
}

/** @returns its id */
export function labelMeant(labels: readonly LabelRecord[], ref: string): string | undefined {
  return labels.find((label) => label.id === ref.toLowerCase() || isNamed(label, ref))?.id;
}

function noLabel(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  labels: readonly LabelRecord[],
  ref: string,
  path: string,
): never {
  const message = `the project has no label ${JSON.stringify(ref)}`;
  const names = labels.map(({ name }) => JSON.stringify(name)).join(', ');
  const way = names ? `It has ${names}` : 'It has none';
  const error: OperationError = fail(
    'VALIDATION_FAILED',
    `labels: ${message}. ${way}; POST /api/projects/:id/labels adds one.`,
    { details: [{ path, message }] },
  );
  throw error;
}
