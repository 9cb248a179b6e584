import { setTimeout as delay } from 'node:timers/promises';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Log } from '@worktrack/rpc/types';
import type { Scope } from '@worktrack/runtime/database/scope';
import { commitAlone, type TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { LRUCache } from 'lru-cache';
import { headOf } from '../../log/heads.repository.ts';
import { following } from '../../log/places.repository.ts';
import { aboutOf, heldSubjects, queueDelivery } from '../deliveries/deliveries.repository.ts';
import { deliveries } from '../deliveries/metrics.ts';
import { disabled } from '../disable.ts';
import type { WebhookDocument } from '../webhooks.model.ts';
import { advance, advanceAndTake, enabledWebhooks, isIdle, soonest, webhookById } from '../webhooks.repository.ts';
import { measureBacklog } from './backlog.ts';
import { organizationsBehind } from './behind.ts';
import { loses, wants } from './matching.ts';
import type { Queued, Sending, Taken } from './taking.ts';

/** How many events are read at once. */
const BATCH = 200;
/** How many deliveries are made for an organization until it is the others' turn. */
const MAX_IN_TURN = 1_000;
/** In one for endpoints that fail: those of healthy ones wait no longer than it takes. */
const MAX_WRITES_FOR_FAILING = 100;
/** For an endpoint that fails: it is sent one at a time, seconds apart. The rest stays in the log until it accepts one. */
const MAX_QUEUED_FOR_FAILING = 20;
/** How often to check which webhooks are behind the log, regardless of notifications: another process may have died before it queued an event. */
const LOOK_EVERY_MS = 10_000;
const RETRY_MS = 500;

/**
 * Makes the deliveries of the log's events. A webhook's cursor is the place up to which it has them, and moves in the transaction that stores them. So each
 * event is queued once, however many replicas continue from one place, and however late one of them is.
 */
export class FanOut {
  readonly #log: Log;
  readonly #sending: Sending;
  readonly #stopping = new AbortController();
  /** Organizations to read on for. */
  readonly #behind = new Set<string>();
  /** Those to read on for webhooks that keep failing, of which there may be any number: only while nothing else is to be queued. */
  readonly #failing = new Set<string>();
  /**
   * Organizations without an enabled webhook, as of the last look at each. When one is created or enabled, the log itself says so; if another
   * replica took that event in, the watch finds out.
   */
  readonly #without = new LRUCache<string, true>({ max: 10_000 });
  #running: Promise<void> | undefined;
  #looking: { stop(): Promise<void> } | undefined;

  constructor(log: Log, sending: Sending) {
    this.#log = log;
    this.#sending = sending;
  }

  start(): void {
    const failed = 'Could not look up which webhooks are behind';
    this.#looking = sweepEvery(LOOK_EVERY_MS, { log: this.#log, sweep: () => this.#look(), failed }, true);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking?.stop();
    await this.#running;
  }

  /** The log of an organization has grown by these. */
  logged(organizationId: string, events: readonly LoggedEvent[]): void {
    if (events.some(({ subject }) => subject.kind === 'webhook')) this.#without.delete(organizationId);
    if (this.#without.has(organizationId)) return;
    this.#behind.add(organizationId);
    this.#continue();
  }

  /** There may be something to queue for the webhooks of these organizations, those that fail too. */
  wake(organizationIds: Iterable<string>): void {
    for (const each of organizationIds) {
      this.#behind.add(each);
      this.#failing.add(each);
    }
    this.#continue();
  }

  #continue(): void {
    if (this.#behind.size + this.#failing.size === 0 || this.#stopping.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Any that came between the last look and now.
      this.#continue();
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const line = this.#behind.size > 0 ? this.#behind : this.#failing;
      const [organizationId] = line;
      if (organizationId === undefined) return;
      line.delete(organizationId);
      const scope = { caller: { organizationId } };
      try {
        const hasMore = await (line === this.#behind ? this.#readOn(scope) : this.#readOnForFailing(scope));
        // Back to the end of the line, so that one organization's long log holds up nobody.
        if (hasMore) line.add(organizationId);
      } catch (error) {
        line.add(organizationId);
        this.#log.warn({ error }, 'Could not queue events for webhooks; trying again');
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #look(): Promise<void> {
    this.wake(await organizationsBehind());
    await measureBacklog();
  }

  /** One batch for the webhooks of an organization, except for those that keep failing. @returns whether there is more */
  async #readOn(scope: Scope): Promise<boolean> {
    const { behind, head } = await this.#behindIn(scope);
    const well = behind.filter((webhook) => !keepsFailing(webhook));
    const share = Math.floor(MAX_IN_TURN / Math.max(1, well.length));
    let hasMore = false;
    for (const { cursor, webhooks } of byCursor(well)) {
      const events = await eventsFor(scope, cursor, Math.min(head, cursor + share));
      const last = events.at(-1);
      if (!last) continue;
      hasMore ||= last.seq < head;
      await this.#queue(scope, webhooks, events);
    }
    return hasMore;
  }

  /** One transaction for those that keep failing. @returns whether there is more */
  async #readOnForFailing(scope: Scope): Promise<boolean> {
    const { behind, head } = await this.#behindIn(scope);
    const idle = behind.filter((webhook) => keepsFailing(webhook) && hasNothingToTry(webhook));
    for (const group of byCursor(idle)) {
      const events = await eventsFor(scope, group.cursor, head);
      const last = events.at(-1);
      if (!last) continue;
      const ofEach = Math.min(events.length, MAX_QUEUED_FOR_FAILING);
      const some = group.webhooks.slice(0, Math.floor(MAX_WRITES_FOR_FAILING / ofEach));
      await this.#queue(scope, some, events, MAX_QUEUED_FOR_FAILING);
      // The same ones again too, if there was nothing for them among these.
      return idle.length > some.length || last.seq < head;
    }
    return false;
  }

  /** The enabled webhooks that do not have everything yet, and where the log ends. */
  async #behindIn(scope: Scope): Promise<{ readonly behind: readonly WebhookDocument[]; readonly head: number }> {
    const { organizationId } = scope.caller;
    const webhooks = await enabledWebhooks(scope);
    if (webhooks.length === 0) {
      this.#without.set(organizationId, true);
      return { behind: [], head: 0 };
    }
    this.#without.delete(organizationId);
    const head = await headOf(organizationId);
    return { behind: webhooks.filter(({ cursor }) => cursor < head), head };
  }

  /** @param limit for each of them */
  async #queue(
    scope: Scope,
    some: readonly WebhookDocument[],
    events: readonly LoggedEvent[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const before = new Map(some.map(({ _id, cursor }) => [_id, cursor]));
    const unwell = some.flatMap(({ _id, unwell }) => (unwell ? [_id] : []));
    const held = unwell.length > 0 ? await heldSubjects(scope, unwell, Date.now()) : NONE_HELD;
    const places = this.#sending.keepPlaces(scope.caller.organizationId, some.length - unwell.length);
    let taken: Taken[] = [];
    /** By attempts of which nobody knows what came of them: the reply to a commit may be lost, and all of it is run again. */
    const triedToTake = new Set<string>();
    let isUncertain = false;
    const work = async ({ tx, writes }: TransactionScope) => {
      for (const { webhook } of taken) triedToTake.add(webhook._id);
      taken = [];
      let count = 0;
      // As they are now: if somebody has read on meanwhile, or changed what is wanted, that takes precedence.
      const enabled = await enabledWebhooks({ ...scope, tx });
      isUncertain = [...triedToTake].some((id) => {
        const now = enabled.find(({ _id }) => _id === id);
        return !now || (now.cursor !== before.get(id) && now.holder === places?.holder);
      });
      for (const webhook of enabled) {
        if (before.get(webhook._id) !== webhook.cursor) continue;
        const holder = places && taken.length < places.count && isIdle(webhook) ? places.holder : undefined;
        const one = queueFor({ ...scope, writes }, webhook, { events, limit, holder }, held.get(webhook._id));
        count += one.queued.length;
        if (one.taken) taken.push({ webhook: one.taken, queued: one.queued });
      }
      return count;
    };
    let count: number;
    try {
      count = await commitAlone(work, { isStored: () => areTaken(scope, taken) });
    } catch (error) {
      // Whatever the error is: time may have run out while a commit without a reply was tried again.
      if (taken.length + triedToTake.size > 0) places?.doubt();
      else places?.use([]);
      throw error;
    }
    if (isUncertain) places?.doubt();
    else places?.use(taken);
    deliveries.inc({ state: 'pending' }, count);
    if (count > taken.reduce((sum, { queued }) => sum + queued.length, 0)) this.#sending.wake();
  }
}

const NONE_HELD: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map();

/** Whether what was taken is. What is not queued after all is found to be behind the log, and queued again. */
async function areTaken(scope: Scope, [first]: readonly Taken[]): Promise<boolean> {
  return !first || (await webhookById(scope, first.webhook._id))?.holder === first.webhook.holder;
}

/**
 * Up to the event with which it has `limit` more to be sent.
 * @param holder takes it, if there is anything to be sent
 */
function queueFor(
  scope: Scope & { readonly writes: WriteSet },
  webhook: WebhookDocument,
  {
    events,
    limit,
    holder,
  }: { readonly events: readonly LoggedEvent[]; readonly limit: number; readonly holder: string | undefined },
  held: ReadonlyMap<string, number> | undefined,
): { readonly queued: readonly Queued[]; readonly taken: WebhookDocument | undefined } {
  const end = events.findIndex((event) => loses(event, webhook));
  const seen = end === -1 ? events : events.slice(0, end);
  const wanted = seen.filter((event) => wants(webhook, event)).slice(0, limit);
  const queued = wanted.map((event) => ({ ...queueDelivery(scope, webhook._id, event), event }));
  const isFull = wanted.length === limit;
  const last = isFull ? wanted.at(-1) : seen.at(-1);
  const isDisabled = end !== -1 && !isFull;
  if (last && holder !== undefined && wanted.length > 0 && !isDisabled)
    return { queued, taken: advanceAndTake(scope, webhook, last.seq, holder) };
  // One that is healthy again by now holds nothing that was read as held.
  const areHeld = webhook.unwell && held !== undefined && wanted.every(({ subject }) => held.has(aboutOf(subject)));
  if (last) advance(scope, webhook, last.seq, wanted.length === 0 ? 'none' : areHeld ? 'held' : 'due');
  if (isDisabled) disabled(scope, webhook, 'maker');
  return { queued, taken: undefined };
}

/** Not only for a moment: its first retry has failed too. */
function keepsFailing({ unwell, failingSince }: WebhookDocument): boolean {
  return unwell && failingSince !== null && Date.now() - failingSince.getTime() > LOOK_EVERY_MS;
}

/** At its next attempt there would be nothing to send: all that is queued for it waits for a retry. */
function hasNothingToTry({ holder, dueAt, notBefore }: WebhookDocument): boolean {
  return holder === null && (dueAt === null || dueAt > soonest(notBefore));
}

function eventsFor({ caller: { organizationId } }: Scope, cursor: number, upTo: number): Promise<LoggedEvent[]> {
  return following(organizationId, cursor, Math.min(BATCH, upTo - cursor));
}

function byCursor(webhooks: readonly WebhookDocument[]): { cursor: number; webhooks: readonly WebhookDocument[] }[] {
  return [...Map.groupBy(webhooks, ({ cursor }) => cursor)].map(([cursor, its]) => ({ cursor, webhooks: its }));
}
