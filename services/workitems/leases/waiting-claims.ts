import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import { type claimWorkItem, MAX_WAITING_CLAIMS } from '@worktrack/contracts/work-items/agents/leases';
import type { CallContext, Waiting } from '@worktrack/rpc/types';
import type { Wait, WaitStep } from '@worktrack/runtime/database/handlers/handler-kinds';
import { registry } from '@worktrack/runtime/process/metrics';
import { Gauge } from 'prom-client';
import { affects, readyAmong, type Scope, scopeOf } from './waiting-scope.ts';

type Claim = typeof claimWorkItem;
type Context = CallContext<FailureOf<Claim>> & { readonly waiting: Waiting };
type Step = WaitStep<Output<Claim>>;

const KEY_CHANGED: Output<Claim> = {
  claimed: false,
  workItem: null,
  lease: null,
  reason: 'The API key or its user was changed while the call was waiting. Claim again.',
};
const RETRY_AFTER_SECONDS = 5;
/** Claims tried at once: enough of them share a transaction, and a burst of tasks leaves room for other calls. */
const MAX_OFFERS = 16;
/** While no events can be heard, as in an installation whose log was never started: one look per scope. */
const UNHEARD_LOOK_EVERY_MS = 2_000;

const waitingClaims = new Gauge({
  name: 'worktrack_waiting_claims',
  help: 'Claims waiting for a task. All are on one replica.',
  registers: [registry],
});

/** One call in the queue. It is told what to do next, and the line learns what came of its attempts. */
class WaitingClaim {
  readonly scope: Scope;
  readonly context: Context;
  /** The same for calls that repeat each other. */
  readonly identity: string;
  #isChanged = false;
  #isAnswered = false;
  #attempt: PromiseWithResolvers<'nothing' | 'over'> | undefined;
  #wake: () => void = () => {};

  constructor(input: Input<Claim>, context: Context) {
    const { caller, idempotencyKey, waiting } = context;
    this.scope = scopeOf(input, caller);
    this.context = context;
    this.identity = JSON.stringify([idempotencyKey, caller.sessionProjectId, input]);
    for (const signal of [waiting.timeUp, waiting.gone])
      signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** What its key may do has changed. Whether it may still claim is decided when the call is repeated. */
  keyChanged(): void {
    this.#isChanged = true;
    this.#wake();
  }

  /** A call that it repeats, or that repeats it, was answered. */
  answered(): void {
    this.#isAnswered = true;
    this.#wake();
  }

  /** Lets it try. @returns `over` once it has found something, or waits no more for another reason */
  offer(): Promise<'nothing' | 'over'> {
    this.#attempt ??= Promise.withResolvers();
    this.#wake();
    return this.#attempt.promise;
  }

  /** @throws if nobody wants an answer any more */
  async next(): Promise<Step> {
    const { timeUp, gone } = this.context.waiting;
    for (;;) {
      if (gone.aborted) throw this.#nobodyWaits();
      if (this.#isChanged) return { answer: KEY_CHANGED };
      if (this.#isAnswered) {
        this.#isAnswered = false;
        return 'look up';
      }
      if (timeUp.aborted || this.#attempt) {
        // If a gateway died, nothing else reveals it: what was claimed for its callers would be held by nobody until the lease ends.
        if (!(await this.context.waiting.isCallerThere())) throw this.#nobodyWaits();
        return timeUp.aborted ? 'last try' : 'try';
      }
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  came(to: 'nothing' | 'over'): void {
    this.#attempt?.resolve(to);
    this.#attempt = undefined;
  }

  #nobodyWaits(): Error {
    return this.context.fail('UNAVAILABLE', 'Nobody is waiting for this any more.');
  }
}

/** An organization's. */
interface Line {
  /** In order of arrival. */
  readonly claims: WaitingClaim[];
  /** Scopes in which there may be something new, with how many tasks have become ready there, as far as events have said. */
  readonly toLookAt: Map<string, number>;
  isLooking: boolean;
}

/** Starts listening to events: what a replica does from its first waiting claim on. */
export type Listen = (heard: {
  /** Called when events are heard from now on, the first time and after each interruption: earlier ones may have been missed. */
  opened(): void;
  received(events: readonly PublishedEvent[]): void;
}) => void;

/**
 * The claims that wait until a task is ready for them: all of the service's, since the broker gives them to one replica (libs/rpc/server/waiting-calls.ts).
 *
 * They are woken by events. An event is about scopes: a project, or the items that a claim names, with what is below them. In each, the first in the queue
 * tries to claim, then the next, until one finds nothing: then there is nothing for those behind it either. If one has found something and more tasks have
 * become ready, that many try at once. So a task that becomes ready costs its claim and one look, however many are waiting, and the database is not queried
 * while nothing happens. A missed event costs time and nothing else: each claim looks once more when its time is up.
 *
 * A replica that was frozen and believes it still holds them does no harm: a claim takes effect once, by its idempotency key.
 */
export class WaitingClaims implements Wait<Claim> {
  readonly #lines = new Map<string, Line>();
  readonly #listen: Listen;
  #isAsked = false;

  constructor(listen: Listen = () => {}) {
    this.#listen = listen;
  }

  isNothing({ claimed }: Output<Claim>): boolean {
    return !claimed;
  }

  async *steps(input: Input<Claim>, context: Context): AsyncGenerator<Step> {
    if (input.leaseToken !== undefined) {
      // Renewing is not waiting for something.
      yield 'look up';
      yield 'last try';
      return;
    }
    const { organizationId } = context.caller;
    const line = this.#lineOf(organizationId);
    const claim = new WaitingClaim(input, context);
    join(line, claim);
    waitingClaims.inc();
    try {
      yield 'look up';
      this.#listenFromNow();
      this.#lookFor([claim], organizationId, line);
      for (;;) {
        const step = await claim.next();
        if (step === 'last try') leave(line, claim);
        yield step;
        if (step === 'try') claim.came('nothing');
      }
    } finally {
      claim.came('over');
      leave(line, claim);
      waitingClaims.dec();
      for (const other of line.claims) if (other.identity === claim.identity) other.answered();
      this.#forget(organizationId, line);
    }
  }

  #listenFromNow(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const untilHeard = setInterval(() => this.#lookEverywhere(), UNHEARD_LOOK_EVERY_MS).unref();
    this.#listen({
      opened: () => {
        clearInterval(untilHeard);
        this.#lookEverywhere();
      },
      received: (events) => this.#received(events),
    });
  }

  #received(events: readonly PublishedEvent[]): void {
    for (const [organizationId, told] of Map.groupBy(events, (event) => event.organizationId)) {
      const claims = this.#lines.get(organizationId)?.claims;
      if (!claims) continue;
      for (const claim of claims) if (told.some((event) => isAbout(event, claim))) claim.keyChanged();
      void this.#lookAfter(told, organizationId, claims);
    }
  }

  /** Of those that name items, only where one of these has become ready, or one below: thousands may be below each. */
  async #lookAfter(
    told: readonly PublishedEvent[],
    organizationId: string,
    claims: readonly WaitingClaim[],
  ): Promise<void> {
    const isAsked = claims.some(({ scope }) => scope.names.size > 0);
    // If the database cannot be asked, each looks for itself.
    const ready = isAsked ? await readyAmong(organizationId, told).catch(() => undefined) : undefined;
    // The last of them may have left meanwhile.
    const line = this.#lines.get(organizationId);
    if (!line) return;
    for (const event of told) {
      const keys = line.claims.filter(({ scope }) => affects(event, scope, ready)).map(({ scope }) => scope.key);
      for (const key of new Set(keys)) lookAt(line, key, event.type === 'work_item.ready' ? 1 : 0);
    }
    await this.#look(organizationId, line);
  }

  #lookEverywhere(): void {
    for (const [organizationId, line] of this.#lines) this.#lookFor(line.claims, organizationId, line);
  }

  #lookFor(claims: readonly WaitingClaim[], organizationId: string, line: Line): void {
    for (const { scope } of claims) lookAt(line, scope.key);
    void this.#look(organizationId, line);
  }

  /** First come, first served. What happens meanwhile is looked at next. */
  async #look(organizationId: string, line: Line): Promise<void> {
    if (line.isLooking) return;
    line.isLooking = true;
    const fruitful = new Set<string>();
    for (let next = nextOf(line, fruitful); next.length > 0; next = nextOf(line, fruitful)) {
      const { key } = (next[0] as WaitingClaim).scope;
      const tasks = line.toLookAt.get(key) ?? 0;
      line.toLookAt.delete(key);
      const outcomes = await Promise.all(next.map((claim) => claim.offer()));
      if (outcomes.includes('nothing')) {
        // Nothing that was known before holds any more.
        fruitful.delete(key);
        continue;
      }
      fruitful.add(key);
      lookAt(line, key, Math.max(0, tasks - outcomes.length));
    }
    line.toLookAt.clear();
    line.isLooking = false;
    this.#forget(organizationId, line);
  }

  #lineOf(organizationId: string): Line {
    let line = this.#lines.get(organizationId);
    if (!line) {
      line = { claims: [], toLookAt: new Map(), isLooking: false };
      this.#lines.set(organizationId, line);
    }
    return line;
  }

  #forget(organizationId: string, line: Line): void {
    if (line.claims.length === 0 && !line.isLooking) this.#lines.delete(organizationId);
  }
}

/** Behind the one that it repeats, or at the end. @throws if too many are waiting */
function join({ claims }: Line, claim: WaitingClaim): void {
  if (claims.length >= MAX_WAITING_CLAIMS) {
    throw claim.context.fail(
      'RATE_LIMITED',
      `${MAX_WAITING_CLAIMS} claims of your organization are already waiting. Claim without waitSeconds, or let fewer agents wait.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
  const repeated = claims.findLastIndex(({ identity }) => identity === claim.identity);
  claims.splice(repeated < 0 ? claims.length : repeated + 1, 0, claim);
}

function leave({ claims }: Line, claim: WaitingClaim): void {
  const at = claims.indexOf(claim);
  if (at >= 0) claims.splice(at, 1);
}

function lookAt({ toLookAt }: Line, key: string, tasks = 0): void {
  toLookAt.set(key, (toLookAt.get(key) ?? 0) + tasks);
}

/**
 * The first in the queue for which there may be something, and those behind it that want the same, as many as there are tasks for. Any that want something
 * else that overlaps with these come next: of two that would take the same task, the first one gets it.
 * @param fruitful scopes in which something was found last time
 */
function nextOf({ claims, toLookAt }: Line, fruitful: ReadonlySet<string>): WaitingClaim[] {
  const next: WaitingClaim[] = [];
  for (const claim of claims) {
    const { key } = claim.scope;
    const tasks = toLookAt.get(key);
    if (tasks === undefined) continue;
    if (next.length > 0 && key !== next[0]?.scope.key) break;
    next.push(claim);
    if (!fruitful.has(key) || next.length >= Math.min(tasks, MAX_OFFERS)) break;
  }
  return next;
}

function isAbout({ type, subject }: PublishedEvent, { context }: WaitingClaim): boolean {
  const { keyId, userId } = context.caller;
  return (type === 'key.revoked' && subject.id === keyId) || (type === 'user.updated' && subject.id === userId);
}
