import type { OperationError } from '@worktrack/contracts/errors';
import type { Label } from '@worktrack/contracts/projects/label';
import type { FailingScope } from '../calls/scope.ts';
import type { LabelRecord } from '../projects/projects.model.ts';
import type { BoardRecord } from './boards.model.ts';

/** Whether a label has this name, in any case. */
export function isNamed({ name }: Pick<LabelRecord, 'name'>, wanted: string): boolean {
  return folded(name) === folded(wanted);
}
const folded = (name: string) => name.normalize('NFKC').toLowerCase();

/** Those of an item as they are shown, by name; one that was deleted is none. */
export function labelsOf(board: BoardRecord | undefined, ids: readonly string[] | undefined): Label[] {
  const wanted = new Set(ids);
  const found = wanted.size === 0 ? [] : (board?.labels ?? []).filter(({ id }) => wanted.has(id));
  return found.map(({ id, name, colour }) => ({ id, name, colour })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** The ids of the labels that are meant, each once and in one order. @param refs ids and names */
export function requireLabels(
  scope: FailingScope<'VALIDATION_FAILED'>,
  { labels = [] }: Pick<BoardRecord, 'labels'>,
  refs: readonly string[],
): string[] {
  return [...new Set(refs.map((ref, index) => labelMeant(labels, ref) ?? noLabel(scope, labels, ref, index)))].sort();
}

/** @returns its id */
export function labelMeant(labels: readonly LabelRecord[], ref: string): string | undefined {
  return labels.find((label) => label.id === ref.toLowerCase() || isNamed(label, ref))?.id;
}

function noLabel(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  labels: readonly LabelRecord[],
  ref: string,
  index: number,
): never {
  const message = `the project has no label ${JSON.stringify(ref)}`;
  const names = labels.map(({ name }) => JSON.stringify(name)).join(', ');
  const way = names ? `It has ${names}` : 'It has none';
  const error: OperationError = fail(
    'VALIDATION_FAILED',
    `labels: ${message}. ${way}; POST /api/projects/:id/labels adds one.`,
    { details: [{ path: `labels.${index}`, message }] },
  );
  throw error;
}
