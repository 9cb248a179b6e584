import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Delivery } from '@worktrack/contracts/events/webhook';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope } from '@worktrack/runtime/database/scope';
import { databaseServer } from '@worktrack/runtime/database/server';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { type DeliveryDocument, DeliveryModel } from './deliveries.model.ts';

/** What sending a delivery requires. */
export type Due = Pick<
  DeliveryDocument,
  '_id' | 'seq' | 'about' | 'attempts' | 'attemptsBefore' | 'eventId' | 'holdsUntilMs'
>;
/** One that is to be tried again. */
export type Retry = Due & { readonly dueAtMs: number };
const DUE = { seq: 1, about: 1, attempts: 1, attemptsBefore: 1, eventId: 1, holdsUntilMs: 1 } as const;

const MAX_COUNTED = 10_000;
/** Every place in a queue. Bounded at both ends: deliveries without a place are in no queue. */
const ALL_PLACES = { $gte: 0, $lt: Number.MAX_SAFE_INTEGER } as const;

interface Page<Row> {
  /** The last one of the previous page. */
  readonly after?: Row | undefined;
  readonly limit: number;
}
type Write = Scope & { readonly writes: WriteSet };
/** `id`, `type` and so on of the event delivered. */
type EventRef = Pick<LoggedEvent, 'id' | 'seq' | 'type' | 'subject'>;

/** Due as soon as its turn comes. */
export function queueDelivery({ caller: { organizationId }, writes }: Write, webhookId: string, event: EventRef): Due {
  const document: DeliveryDocument = {
    ...untried(organizationId, webhookId, event),
    fresh: event.seq,
  };
  writes.insert(DeliveryModel, document);
  return document;
}

/** One that was sent and will not be sent again. */
export function insertTested(
  { caller: { organizationId }, writes }: Write,
  webhookId: string,
  event: EventRef,
  outcome: AttemptResult,
): Delivery {
  const { status, error, answer, durationMs, at } = outcome;
  const document: DeliveryDocument = {
    ...untried(organizationId, webhookId, event),
    state: isDelivered(outcome) ? 'delivered' : 'failed',
    attempts: 1,
    ...{ status, error, answer, durationMs, attemptedAt: at },
  };
  writes.insert(DeliveryModel, document);
  return recordOf(document);
}

/** What orders deliveries: those with the same one are sent one after the other. */
export function aboutOf({ kind, id }: LoggedEvent['subject']): string {
  return `${kind}:${id}`;
}

function untried(organizationId: string, webhookId: string, { id, seq, type, subject }: EventRef): DeliveryDocument {
  return {
    _id: uuidv7(),
    organizationId,
    webhookId,
    eventId: id,
    ...{ seq, type, subject },
    about: aboutOf(subject),
    state: 'pending',
    attempts: 0,
    attemptsBefore: 0,
    status: null,
    error: null,
    answer: null,
    durationMs: null,
    createdAt: new Date(),
    attemptedAt: null,
  };
}

/**
 * Those not tried yet, in log order.
 * @param notAbout subjects that wait for an earlier event
 */
export async function freshDeliveries(
  { caller: { organizationId } }: Scope,
  webhookId: string,
  { notAbout, after, limit }: { readonly notAbout: readonly string[] } & Page<Due>,
): Promise<Due[]> {
  return inOrder<Due>(DeliveryModel, {
    filter: { organizationId, webhookId },
    order: { field: 'fresh', direction: 1 },
    range: ALL_PLACES,
    after: after && { value: after.seq, id: after._id },
    choose: notAbout.length > 0 ? [{ $match: { about: { $nin: notAbout } } }] : [],
    limit,
    present: [{ $project: { ...DUE, fresh: 1 } }],
  });
}

/** Those to be tried again, the earliest first: the ones that are due, and when the others will be. */
export async function nextRetries(
  { caller: { organizationId } }: Scope,
  webhookId: string,
  { after, limit }: Page<Retry>,
): Promise<Retry[]> {
  return inOrder(DeliveryModel, {
    filter: { organizationId, webhookId },
    order: { field: 'dueAtMs', direction: 1 },
    range: ALL_PLACES,
    after: after && { value: after.dueAtMs, id: after._id },
    limit,
    present: [{ $project: { ...DUE, dueAtMs: 1 } }],
  });
}

/** How many deliveries are waiting at an endpoint, and how long the first untried one has been. */
export async function waitingAt(
  { caller: { organizationId } }: Scope,
  webhookId: string,
): Promise<{ readonly count: number; readonly oldestAt: Date | undefined }> {
  const count = await DeliveryModel.countDocuments({ organizationId, webhookId, state: 'pending' }).limit(MAX_COUNTED);
  const [oldest] = await inOrder<Pick<DeliveryDocument, 'createdAt'>>(DeliveryModel, {
    filter: { organizationId, webhookId },
    order: { field: 'fresh', direction: 1 },
    range: ALL_PLACES,
    limit: 1,
    present: [{ $project: { createdAt: 1, fresh: 1 } }],
  });
  return { count, oldestAt: oldest?.createdAt };
}

/** The subjects whose later events wait, and until when, by webhook. */
export async function heldSubjects(
  { caller: { organizationId } }: Scope,
  webhookIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const holding = await DeliveryModel.find(
    {
      organizationId,
      webhookId: oneOf(webhookIds),
      holdsUntilMs: mongoose.trusted({ ...ALL_PLACES, $gte: nowMs }),
    },
    { webhookId: 1, about: 1, holdsUntilMs: 1, _id: 0 },
  ).lean();
  const held = new Map(webhookIds.map((id) => [id, new Map<string, number>()]));
  for (const { webhookId, about, holdsUntilMs = 0 } of holding) held.get(webhookId)?.set(about, holdsUntilMs);
  return held;
}

/** The outcome of one attempt. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly durationMs: number | null;
  readonly at: Date;
}

export interface Attempt {
  readonly organizationId: string;
  readonly delivery: Due;
  readonly outcome: AttemptResult;
  /** After a failure; undefined: it is not retried. */
  readonly retryAtMs?: number | undefined;
  readonly holdsUntilMs?: number | undefined;
}

export function isDelivered({ status }: Pick<AttemptResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * A success always counts; a failure only if nobody has tried since. So a dispatcher that was frozen in the middle of an attempt cannot undo another one's
 * delivery.
 */
export async function recordAttempts(attempts: readonly Attempt[]): Promise<undefined[]> {
  const updates = attempts.map(({ organizationId, delivery, outcome, retryAtMs, holdsUntilMs }) => {
    const { status, error, answer, durationMs, at } = outcome;
    const filter = { organizationId, _id: delivery._id };
    const said = { attempts: delivery.attempts + 1, status, error, answer, durationMs, attemptedAt: at };
    const end = { fresh: 1, dueAtMs: 1, holdsUntilMs: 1 } as const;
    if (isDelivered(outcome)) {
      return { updateOne: { filter, update: { $set: { ...said, state: 'delivered' }, $unset: end } } };
    }
    const untried = { ...filter, attempts: delivery.attempts };
    if (retryAtMs === undefined) {
      return { updateOne: { filter: untried, update: { $set: { ...said, state: 'failed' }, $unset: end } } };
    }
    const again = { ...said, dueAtMs: retryAtMs, ...(holdsUntilMs !== undefined && { holdsUntilMs }) };
    return { updateOne: { filter: untried, update: { $set: again, $unset: { fresh: 1 } } } };
  });
  await databaseServer().inOneCommit(updates.length, (options) => DeliveryModel.bulkWrite(updates, options));
  return attempts.map(() => undefined);
}

/** Newest first. @param before the id of the last one on the previous page */
export async function pageOfDeliveries(
  { caller: { organizationId } }: Scope,
  webhookId: string,
  {
    state,
    before,
    limit,
  }: { readonly state?: Delivery['state'] | undefined; readonly before?: string | undefined; readonly limit: number },
): Promise<Delivery[]> {
  const documents = await inOrder<DeliveryDocument>(DeliveryModel, {
    filter: { organizationId, webhookId, ...(state && { state }) },
    order: { field: '_id', direction: -1 },
    after: before === undefined ? undefined : { value: before, id: before },
    limit,
    present: [],
  });
  return documents.map(recordOf);
}

/** `fresh`: not tried yet. */
type Replayable = Due & Pick<DeliveryDocument, 'fresh'>;

/** Those of a webhook that still exist and were not tests. */
export async function replayable(
  { caller: { organizationId }, tx }: Scope,
  webhookId: string,
  ids: readonly string[],
): Promise<Replayable[]> {
  const found = await DeliveryModel.find(
    { organizationId, webhookId, _id: oneOf(ids) },
    { ...DUE, fresh: 1 },
    { session: tx },
  ).lean<Replayable[]>();
  return found.filter(({ seq }) => seq > 0);
}

/** Sends it again, with a new schedule. One that has not been tried yet is in the queue: in that of the retries too, it would be sent twice. */
export function sendAgain({ caller: { organizationId }, writes }: Write, { _id, attempts, fresh }: Replayable): void {
  if (fresh !== undefined) return;
  const again = { state: 'pending', attemptsBefore: attempts, dueAtMs: Date.now() };
  // If it was tried meanwhile, its number of attempts differs: then this call runs again from the start.
  writes.update(DeliveryModel, { organizationId, _id, attempts }, { set: again });
}

function recordOf(document: DeliveryDocument): Delivery {
  const { _id, webhookId, eventId, seq, type, subject, state, attempts, status, error, answer, durationMs } = document;
  const nextAttemptAt = state === 'pending' ? new Date(document.dueAtMs ?? document.createdAt).toISOString() : null;
  return {
    id: _id,
    ...{ webhookId, eventId, seq, type, subject, state, attempts, status, error, answer, durationMs },
    createdAt: document.createdAt.toISOString(),
    attemptedAt: document.attemptedAt?.toISOString() ?? null,
    nextAttemptAt,
  };
}
