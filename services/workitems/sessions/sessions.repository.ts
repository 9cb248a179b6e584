import type { AiSession, CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import type { UsageGroup, UsageTotals } from '@worktrack/contracts/work-items/costs/usage';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { WriteScope } from '../calls/scope.ts';
import { formatDollars, UNKNOWN_COST } from './price.ts';
import { type SessionDocument, SessionModel } from './sessions.model.ts';

export function insertSession(
  { caller: { organizationId }, writes }: WriteScope,
  session: Omit<SessionDocument, '_id' | 'organizationId' | 'countedFor'>,
): AiSession {
  const document: SessionDocument = { ...session, _id: uuidv7(), organizationId, countedFor: session.workItemId };
  writes.insert(SessionModel, document);
  return recordOf(document);
}

/** What a deleted item cost counts towards its parent from now on, so that the sums above it stay the same. */
export function handDownSessions({ caller, writes }: WriteScope, deletedId: string, parentId: string): void {
  const { organizationId } = caller;
  writes.updateMany(SessionModel, { organizationId, countedFor: deletedId }, { $set: { countedFor: parentId } });
}

/** Which sessions a sum is over. `from` is included, `before` is not. */
export interface SessionFilter {
  readonly projectId?: string | readonly string[] | undefined;
  /** Items whose own sessions count, and those of deleted items that they took over. */
  readonly itemIds?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
}

export interface UsageSum extends UsageTotals {
  readonly key: string;
  readonly label: string;
}

/** From sessions without a lease, and from those of earlier versions. */
const UNKNOWN = 'unknown';

const GROUP_KEYS: Readonly<Record<Exclude<UsageGroup, 'epic'>, unknown>> = {
  model: '$aiModel',
  provider: '$provider',
  sessionType: '$sessionType',
  day: { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } },
  workItem: '$workItemId',
  agent: { $ifNull: ['$agent', UNKNOWN] },
  key: { $ifNull: ['$keyId', UNKNOWN] },
};

/** Sums by group: days in order, others by token use, highest first. */
export async function sumSessions(
  organizationId: string,
  filter: SessionFilter,
  groupBy: keyof typeof GROUP_KEYS,
): Promise<UsageSum[]> {
  const sums = await sumsOf(organizationId, filter, GROUP_KEYS[groupBy]);
  return sums
    .map((sum) => ({ key: sum._id, label: groupBy === 'workItem' ? sum.taskId : sum._id, ...totalsOf(sum) }))
    .sort((a, b) => (groupBy === 'day' ? 0 : b.totalTokens - a.totalTokens) || (a.key < b.key ? -1 : 1));
}

/** By the item that a session counts towards: for a deleted one, the item that took over its cost. */
export function sumsByItem(organizationId: string, filter: SessionFilter): Promise<Sum[]> {
  return sumsOf(organizationId, filter, '$countedFor');
}

export async function totalSessions(organizationId: string, filter: SessionFilter): Promise<UsageTotals> {
  const [sum] = await sumsOf(organizationId, filter, null);
  return totalsOf(sum);
}

async function sumsOf(organizationId: string, filter: SessionFilter, by: unknown): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  for (const itemIds of piecesOf(filter.itemIds)) {
    const found = await SessionModel.aggregate<Sum>([
      ...matching(organizationId, { ...filter, itemIds }),
      { $group: { _id: by, ...SUMS } },
    ]);
    for (const sum of found) {
      const before = sums.get(sum._id);
      sums.set(sum._id, before ? { ...sum, ...added([before, sum]) } : sum);
    }
  }
  return [...sums.values()];
}

/** Each takes some 50 bytes of a query, and a query of more than 16 MB is refused. */
const MAX_IDS_OF_QUERY = 10_000;

/** @param ids undefined: all there are, in one piece */
export function piecesOf<Ids extends readonly string[] | undefined>(ids: Ids): Ids[] {
  if (!ids) return [ids];
  const starts = Array.from({ length: Math.ceil(ids.length / MAX_IDS_OF_QUERY) }, (_, n) => n * MAX_IDS_OF_QUERY);
  return starts.map((start) => ids.slice(start, start + MAX_IDS_OF_QUERY) as unknown as Ids);
}

/** What the items' sessions cost, in micro-dollars, by item id. Anything without a known price counts as nothing. */
export async function costsOf(
  organizationId: string,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (itemIds.length === 0) return new Map();
  const sums = await SessionModel.aggregate<{ _id: string; costMicrodollars: number }>([
    ...matching(organizationId, { itemIds }),
    { $group: { _id: '$countedFor', costMicrodollars: SUMS.costMicrodollars } },
  ]);
  return new Map(sums.map(({ _id, costMicrodollars }) => [_id, costMicrodollars]));
}

/** The oldest, oldest first. */
export async function sessionsCountedFor(
  organizationId: string,
  itemIds: readonly string[],
  limit: number,
): Promise<AiSession[]> {
  const documents: SessionDocument[] = [];
  for (const piece of piecesOf(itemIds)) {
    const oldest = [{ $sort: { createdAt: 1, _id: 1 } }, { $limit: limit }] as const;
    const found = [...matching(organizationId, { itemIds: piece }), ...oldest];
    documents.push(...(await SessionModel.aggregate<SessionDocument>(found)));
  }
  return documents
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1))
    .slice(0, limit)
    .map(recordOf);
}

function matching(organizationId: string, { projectId, itemIds, from, before }: SessionFilter) {
  const createdAt = from || before ? { ...(from && { $gte: from }), ...(before && { $lt: before }) } : undefined;
  return [
    {
      $match: {
        organizationId,
        ...(itemIds && { countedFor: { $in: itemIds } }),
        ...(projectId !== undefined && { projectId: typeof projectId === 'string' ? projectId : { $in: projectId } }),
        ...(createdAt && { createdAt }),
      },
    },
  ];
}

/** Before formatting: costs as integers, which add up exactly. */
export interface Sum {
  readonly _id: string;
  readonly taskId: string;
  readonly sessions: number;
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly durationMs: number;
  readonly costMicrodollars: number;
  readonly priced: number;
}

/** The sum of sums. */
export function added(sums: readonly Sum[]): Omit<Sum, '_id' | 'taskId'> {
  const sum = (field: Exclude<keyof Sum, '_id' | 'taskId'>) => sums.reduce((total, each) => total + each[field], 0);
  return {
    sessions: sum('sessions'),
    totalTokens: sum('totalTokens'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    durationMs: sum('durationMs'),
    costMicrodollars: sum('costMicrodollars'),
    priced: sum('priced'),
  };
}

// $sum leaves out nulls: tokens that were not given, costs that are not known.
const SUMS = {
  taskId: { $first: '$taskId' },
  sessions: { $sum: 1 },
  totalTokens: { $sum: '$totalTokens' },
  inputTokens: { $sum: '$inputTokens' },
  outputTokens: { $sum: '$outputTokens' },
  cachedInputTokens: { $sum: '$cachedInputTokens' },
  cacheWriteTokens: { $sum: '$cacheWriteTokens' },
  durationMs: { $sum: '$durationMs' },
  costMicrodollars: { $sum: '$costMicrodollars' },
  priced: { $sum: { $cond: [{ $eq: ['$costMicrodollars', null] }, 0, 1] } },
};

export function totalsOf(sum: Omit<Sum, '_id' | 'taskId'> | undefined): UsageTotals {
  return {
    sessions: sum?.sessions ?? 0,
    totalTokens: sum?.totalTokens ?? 0,
    inputTokens: sum?.inputTokens ?? 0,
    outputTokens: sum?.outputTokens ?? 0,
    cachedInputTokens: sum?.cachedInputTokens ?? 0,
    cacheWriteTokens: sum?.cacheWriteTokens ?? 0,
    durationMs: sum?.durationMs ?? 0,
    estimatedCost: formatDollars(sum?.costMicrodollars ?? 0),
    unpricedSessions: (sum?.sessions ?? 0) - (sum?.priced ?? 0),
  };
}

function recordOf(document: SessionDocument): AiSession {
  return {
    id: document._id,
    workItemId: document.workItemId,
    taskId: document.taskId,
    model: document.aiModel,
    provider: document.provider,
    totalTokens: document.totalTokens,
    ...partsOf(document),
    durationMs: document.durationMs,
    sessionType: document.sessionType,
    ...(document.agent && { agent: document.agent }),
    ...(document.run && { run: document.run }),
    ...(document.heartbeats && { heartbeats: document.heartbeats }),
    estimatedCost: document.costMicrodollars === null ? UNKNOWN_COST : formatDollars(document.costMicrodollars),
    costBasis: basisOf(document),
    createdAt: document.createdAt.toISOString(),
  };
}

const PARTS = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens'] as const;

/** Those that are known. */
function partsOf(document: SessionDocument): Partial<Pick<AiSession, (typeof PARTS)[number]>> {
  return Object.fromEntries(
    PARTS.filter((part) => typeof document[part] === 'number').map((part) => [part, document[part]]),
  );
}

/** Earlier versions did not store it. */
function basisOf({ costBasis, costMicrodollars, inputTokens }: SessionDocument): CostBasis {
  return costBasis ?? (costMicrodollars === null ? 'unpriced' : inputTokens === null ? 'total' : 'split');
}
