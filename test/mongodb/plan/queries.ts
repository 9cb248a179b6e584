import { NO_FIELD } from '@worktrack/runtime/database/stand-in/split-match';
import { collectionOf, type Document, documentsIn, isDocument, nameOf, writesOf } from '../guard/command.ts';
import type { Query } from './plan.ts';

/** A query of a command, and its collection. */
export interface CollectionQuery extends Query {
  readonly collection: string;
  /** The command, or the pipeline stage, that makes it. */
  readonly by: string;
  /** A sort that no index can provide, because it sorts what was computed on the way; with a limit, no more than that. */
  readonly laterSort?: Document;
}

/** What a command looks for: its own query, those of its writes, and those of the stages that read other collections. */
export function queriesIn(command: Document): CollectionQuery[] {
  const by = nameOf(command);
  const collection = collectionOf(command);
  switch (by) {
    case 'find':
      return [
        {
          collection,
          by,
          filter: documentOr(command.filter),
          ...(isDocument(command.sort) && { sort: command.sort as Query['sort'] }),
          ...(Number(command.limit) > 0 && { limit: Number(command.limit) }),
          ...(isDocument(command.projection) && { projection: command.projection }),
        },
      ];
    case 'aggregate':
      return queriesOfPipeline(collection, by, documentsIn(command.pipeline));
    case 'count':
      return [{ collection, by, filter: documentOr(command.query), isCount: true }];
    case 'distinct':
      return [{ collection, by, filter: documentOr(command.query), projection: { [String(command.key)]: 1, _id: 0 } }];
    case 'findAndModify':
      return [
        {
          collection,
          by,
          filter: documentOr(command.query),
          limit: 1,
          ...(isDocument(command.sort) && { sort: command.sort as Query['sort'] }),
        },
      ];
    default:
      return writesOf(command)
        .filter(({ kind }) => kind !== 'insert')
        .map((write) => ({
          collection: write.collection,
          by: by === 'bulkWrite' ? `bulkWrite, ${write.kind}` : by,
          filter: write.filter,
          ...(!write.isMulti && { limit: 1 }),
        }));
  }
}

const documentOr = (value: unknown): Document => (isDocument(value) ? value : {});

/** The matches, the sort and the limit with which a pipeline begins are its query; MongoDB merges consecutive matches. */
function queriesOfPipeline(collection: string, by: string, pipeline: readonly Document[]): CollectionQuery[] {
  const matches: Document[] = [];
  let query: { sort?: Query['sort']; limit?: number; isCount?: boolean; projection?: Document } = {};
  let at = 0;
  for (; at < pipeline.length; at++) {
    const stage = pipeline[at] as Document;
    if (isDocument(stage.$match) && !query.sort && query.limit === undefined) matches.push(stage.$match);
    else if (isDocument(stage.$sort) && !query.sort) query = { ...query, sort: stage.$sort as Query['sort'] };
    else if (stage.$limit !== undefined && query.limit === undefined) query = { ...query, limit: Number(stage.$limit) };
    else break;
  }
  const next = pipeline[at];
  if (next && isCounting(next)) query = { ...query, isCount: true };
  if (isDocument(next?.$project) && Object.values(next.$project).every((value) => typeof value === 'number')) {
    const { [NO_FIELD]: _none, ...projection } = next.$project;
    query = { ...query, projection };
  }
  const later = pipeline.slice(at);
  const sorting = later.find(({ $sort }) => isDocument($sort));
  const filter = matches.length === 1 ? (matches[0] as Document) : matches.length === 0 ? {} : { $and: matches };
  return [
    { collection, by, filter, ...query, ...(sorting && { laterSort: sorting.$sort as Document }) },
    ...later.flatMap(queriesOfStage),
  ];
}

function isCounting(stage: Document): boolean {
  if ('$count' in stage) return true;
  const group = stage.$group;
  if (!isDocument(group) || group._id !== null) return false;
  return Object.entries(group).every(([name, value]) => name === '_id' || (isDocument(value) && value.$sum === 1));
}

/** What a stage looks for in another collection; what it is joined on stands for a value. */
function queriesOfStage(stage: Document): CollectionQuery[] {
  const { $lookup, $graphLookup, $unionWith, $facet } = stage;
  if (isDocument($lookup)) {
    const joined = $lookup.foreignField === undefined ? [] : [{ $match: { [String($lookup.foreignField)]: 'joined' } }];
    return queriesOfPipeline(String($lookup.from), '$lookup', [...joined, ...documentsIn($lookup.pipeline)]);
  }
  if (isDocument($graphLookup)) {
    const own = documentOr($graphLookup.restrictSearchWithMatch);
    const filter = { ...own, [String($graphLookup.connectToField)]: 'joined' };
    return [{ collection: String($graphLookup.from), by: '$graphLookup', filter }];
  }
  if (typeof $unionWith === 'string') return [{ collection: $unionWith, by: '$unionWith', filter: {} }];
  if (isDocument($unionWith)) {
    return queriesOfPipeline(String($unionWith.coll), '$unionWith', documentsIn($unionWith.pipeline));
  }
  if (isDocument($facet)) return Object.values($facet).flatMap((each) => documentsIn(each).flatMap(queriesOfStage));
  return [];
}
