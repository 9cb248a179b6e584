import { type Document, filtersOf, forEachField, isDocument, page, pipelinesOf, type Violation } from './command.ts';

const operator = (name: string) => page(name, `reference/operator/query/${name.slice(1)}`);
const stagePage = (name: string) => page(name, `reference/operator/aggregation/${name.slice(1)}`);
const PROJECTION = page('Project Fields to Return from Query', 'tutorial/project-fields-from-query-results');
const SORT = page('MongoDB Limits and Thresholds: Sort', 'reference/limits');

const LOGICAL = new Set(['$and', '$or', '$nor']);
const LISTS = new Set(['$in', '$nin', '$all']);
const ONLY_FIRST = new Set(['$changeStream', '$collStats', '$currentOp', '$geoNear', '$indexStats', '$search']);
const ONLY_LAST = new Set(['$merge', '$out']);
const NOT_IN_FACET = new Set([...ONLY_FIRST, ...ONLY_LAST, '$facet', '$planCacheStats']);
const MAX_SORT_KEYS = 32;

/** Queries and pipelines that MongoDB does not parse. */
export function queryViolations(command: Document): Violation[] {
  const filters = filtersOf(command);
  const pipelines = pipelinesOf(command);
  const matches = pipelines.flat().flatMap(({ $match }) => (isDocument($match) ? [$match] : []));
  return [
    ...filterViolations([...filters, ...matches]),
    ...projectionViolations(isDocument(command.projection) ? command.projection : {}),
    ...sortViolations(isDocument(command.sort) ? command.sort : {}),
    ...pipelines.flatMap(pipelineViolations),
  ];
}

function filterViolations(filters: readonly Document[]): Violation[] {
  const found: Violation[] = [];
  forEachField(filters, (name, value) => {
    if (LOGICAL.has(name) && !(Array.isArray(value) && value.length > 0)) {
      found.push({ rule: `${name} of nothing`, page: operator(name) });
    }
    if (LISTS.has(name) && !Array.isArray(value))
      found.push({ rule: `${name} without an array`, page: operator(name) });
  });
  return found;
}

/** Either what is wanted or what is not; the id may always be left out. A field and a part of it cannot both be named. */
function projectionViolations(projection: Document): Violation[] {
  const found: Violation[] = [];
  const fields = Object.entries(projection).filter(([name]) => name !== '_id');
  const included = fields.filter(([, value]) => value === 1 || value === true);
  const excluded = fields.filter(([, value]) => value === 0 || value === false);
  if (included.length > 0 && excluded.length > 0) {
    found.push({ rule: 'a projection that both includes and excludes', page: PROJECTION });
  }
  const names = Object.keys(projection).toSorted();
  for (const [i, name] of names.entries()) {
    const part = names.slice(i + 1).find((each) => each.startsWith(`${name}.`));
    if (part !== undefined) found.push({ rule: `a projection of ${name} and of ${part}`, page: PROJECTION });
  }
  return found;
}

function sortViolations(sort: Document): Violation[] {
  const keys = Object.keys(sort).length;
  return keys > MAX_SORT_KEYS ? [{ rule: `a sort by ${keys} keys: at most ${MAX_SORT_KEYS}`, page: SORT }] : [];
}

function pipelineViolations(pipeline: readonly Document[]): Violation[] {
  return pipeline.flatMap((stage, i) => {
    const [[name = '', body] = []] = Object.entries(stage);
    const found: Violation[] = [];
    const add = (rule: string) => found.push({ rule, page: stagePage(name) });
    if (ONLY_FIRST.has(name) && i > 0) add(`${name} that is not the first stage`);
    if (ONLY_LAST.has(name) && i < pipeline.length - 1) add(`${name} that is not the last stage`);
    if (name === '$limit' && !(Number(body) >= 1)) add(`$limit of ${body}`);
    if (name === '$skip' && !(Number(body) >= 0)) add(`$skip of ${body}`);
    if (name === '$group' && !(isDocument(body) && '_id' in body)) add('$group without _id');
    if ((name === '$sort' || name === '$project') && isDocument(body) && Object.keys(body).length === 0) {
      add(`${name} of nothing`);
    }
    if (name === '$project' && isDocument(body)) found.push(...projectionViolations(body));
    if (name === '$sort' && isDocument(body)) found.push(...sortViolations(body));
    if (name === '$facet' && isDocument(body)) {
      const inner = Object.values(body).flatMap((each) => (Array.isArray(each) ? each : []));
      for (const one of inner.filter(isDocument).flatMap((each) => Object.keys(each))) {
        if (NOT_IN_FACET.has(one)) add(`${one} in $facet`);
      }
    }
    return found;
  });
}
