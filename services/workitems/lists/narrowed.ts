import { NONE, VALUE_FILTERS } from '@worktrack/contracts/work-items/lists/list-filters';
import type { FailingScope } from '../calls/scope.ts';
import { withAllBelow } from '../items/found-by.ts';
import { anyOf, type Condition, isAnyOf, isHeldSo, not } from './conditions.ts';
import { epicsOf, listedItem } from './listed-items.repository.ts';
import { namesNothing } from './named.ts';
import { labelsKnown, labelsNamed, type Near } from './of-projects.ts';
import { LIKE, type ListFilter, type Where } from './where.ts';

type Scope = FailingScope<'VALIDATION_FAILED'>;

/** So many epics are looked up to find what is below none of them. */
const MAX_EPICS = 1_000;

export const orNobody = (name: string | undefined) => (name === NONE || name === undefined ? null : name);

/** The filters that are no comparison with given values, and those that exclude values. */
export async function alsoOf(
  scope: Scope,
  filter: ListFilter,
  near: Near,
): Promise<{ labels: Pick<Where['like'], 'labels'>; also: Condition[] }> {
  const also: Condition[] = [];
  const isPlainlyLabelled = filter.label !== undefined && !filter.label.includes(NONE);
  const labels = isPlainlyLabelled ? { labels: await labelsNamed(scope, filter.label ?? [], near) } : {};
  for (const name of VALUE_FILTERS) {
    const values = filter[name];
    const isDone = isLike(name) || (name === 'label' && isPlainlyLabelled);
    if (values && !isDone) also.push(await conditionOf(scope, name, values, near));
    const excluded = filter[`${name}Not`];
    if (excluded) also.push(not(await conditionOf(scope, name, excluded, near, `${name}Not`)));
  }
  return { labels, also };
}

const isLike = (name: string) => (LIKE as readonly string[]).includes(name);

/** @param name of one of the filters by value @param asked the same, or its opposite: what a refusal names */
export async function conditionOf(
  scope: Scope,
  name: (typeof VALUE_FILTERS)[number],
  values: readonly string[],
  near: Near,
  asked: string = name,
): Promise<Condition> {
  switch (name) {
    case 'leaseState':
      return isHeldSo(values as NonNullable<ListFilter['leaseState']>, new Date());
    case 'label':
      return isLabelled(scope, values, near, asked);
    case 'epic':
      return isInEpic(scope, values, near, asked);
    case 'assignee':
      return isAnyOf(name, values.map(orNobody));
    default:
      return isAnyOf(name, values);
  }
}

/** A label that was deleted is none. */
async function isLabelled(scope: Scope, values: readonly string[], near: Near, asked: string): Promise<Condition> {
  const named = values.filter((value) => value !== NONE);
  const any = named.length > 0 ? [isAnyOf('labels', await labelsNamed(scope, named, near, asked))] : [];
  const none = named.length < values.length ? [not(isAnyOf('labels', await labelsKnown(scope, near)))] : [];
  return anyOf([...any, ...none]);
}

async function isInEpic(
  scope: Scope,
  values: readonly string[],
  { projectId }: Near,
  asked: string,
): Promise<Condition> {
  const named = values.filter((value) => value !== NONE);
  const ids = await Promise.all(named.map((ref) => requireEpic(scope, ref, asked)));
  const any = ids.length > 0 ? [isWithin(ids)] : [];
  if (named.length === values.length) return anyOf(any);
  if (projectId === undefined) throw refuse(scope, asked, 'none needs the projectId whose epics are meant');
  const epics = await epicsOf(scope, projectId, MAX_EPICS + 1);
  if (epics.length > MAX_EPICS) throw refuse(scope, asked, `none is for projects with at most ${MAX_EPICS} epics`);
  return anyOf([...any, not(isWithin(epics))]);
}

/** One of these, or below it. */
function isWithin(ids: readonly string[]): Condition {
  return isAnyOf('foundBy', ids.flatMap(withAllBelow));
}

async function requireEpic(scope: Scope, ref: string, asked: string): Promise<string> {
  const item = await listedItem(scope, ref);
  if (!item) throw await namesNothing(scope, 'epic', ref, asked);
  if (item.type !== 'epic')
    throw refuse(scope, asked, `${ref} is of the type ${item.type}; what is below it: parentId`);
  return item._id;
}

function refuse({ fail }: Scope, path: string, message: string) {
  return fail('VALIDATION_FAILED', `${path}: ${message}.`, { details: [{ path, message }] });
}
