import { type Document, isDocument } from '../guard/command.ts';
import type { Plan } from './plan.ts';
import type { CollectionQuery } from './queries.ts';

/** More than this many are not sorted in memory, however they are bounded. */
const MAX_SORTED = 1_000;

/** The query without its values: the fields, how each is compared, the order, and whether it is limited. */
export function shapeOf({ by, collection, filter, sort, limit, laterSort }: CollectionQuery): string {
  const order = (keys: Document) =>
    Object.entries(keys).map(([field, value]) => (Number(value) < 0 ? `${field} descending` : field));
  return [
    `${by} ${collection}: ${filterShape(filter) || 'all'}`,
    ...(sort && Object.keys(sort).length > 0 ? [`by ${order(sort).join(', ')}`] : []),
    // A pipeline's limit may be what is left of a page: how many those are depends on what was found before.
    ...(limit === undefined ? [] : [limit === 1 && by !== 'aggregate' ? 'one' : 'limited']),
    ...(laterSort ? [`then sorted by ${order(laterSort).join(', ')}`] : []),
  ].join('; ');
}

function filterShape(filter: Document): string {
  return Object.entries(filter)
    .map(([name, value]) => {
      if (name.startsWith('$') && Array.isArray(value)) {
        const shapes = [...new Set(value.filter(isDocument).map(filterShape))];
        return name === '$and' ? shapes.join(', ') : `${name} (${shapes.join(' | ')})`;
      }
      const operators = isDocument(value)
        ? Object.keys(value).filter((key) => key.startsWith('$') && key !== '$eq')
        : [];
      return [name, ...operators].join(' ');
    })
    .join(', ');
}

/** The plan in the words of `explain`. */
export function statementOf(plan: Plan): string {
  const { stage, index, bounds = {}, direction, fetch, filtered, sort, atMost, parts } = plan;
  const held = Object.entries(bounds).map(([field, bound]) => `${field} ${bound}`);
  return [
    index ? `${stage} ${index}` : stage,
    ...(parts ? [`(${parts.map(statementOf).join(' | ')})`] : []),
    ...(held.length > 0 ? [`[${held.join(', ')}]`] : []),
    ...(direction === 'backward' ? ['backward'] : []),
    ...(atMost !== undefined ? ['unique keys'] : []),
    fetch ? 'FETCH' : 'covered',
    ...(filtered.length > 0 ? [`filters ${filtered.join(', ')}`] : []),
    ...(sort === 'merge' ? ['SORT_MERGE'] : sort === 'memory' ? ['SORT'] : []),
  ].join(', ');
}

/**
 * The fault of a plan, or undefined. A sort in memory is bounded, and therefore allowed, in two cases: the query names at most MAX_SORTED unique keys, or the
 * sort follows a limit of at most that. The same goes for a sort of values that a pipeline computed.
 * @param isSmall collections of a size that does not grow with what is stored: they may be read in full
 */
export function faultOf(
  query: CollectionQuery,
  plan: Plan,
  isSmall: (collection: string) => boolean,
): string | undefined {
  const bounded = plan.atMost !== undefined && plan.atMost <= MAX_SORTED;
  const limited = query.limit !== undefined && query.limit <= MAX_SORTED;
  if (plan.stage === 'COLLSCAN') return isSmall(query.collection) ? undefined : 'reads the whole collection';
  const isWhole = plan.stage === 'IXSCAN' && Object.keys(plan.bounds ?? {}).length === 0;
  if (isWhole && plan.filtered.length > 0 && !isSmall(query.collection)) return 'reads the whole index';
  if (plan.sort === 'memory' && !bounded) return 'sorts in memory';
  if (query.laterSort && !bounded && !limited) return 'sorts what it made';
  const held = Object.values(plan.bounds ?? {}).filter((bound) => bound !== 'all').length;
  const isOrganization = held === 1 && Object.keys(plan.bounds ?? {})[0] === 'organizationId';
  if (isOrganization && plan.filtered.length > 0 && !isSmall(query.collection))
    return 'looks at all of an organization';
  return undefined;
}
