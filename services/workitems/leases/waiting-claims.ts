import { once } from 'node:events';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import { type claimWorkItem, MAX_WAITING_CLAIMS } from '@worktrack/contracts/work-items/leases';
import type { CallContext, Reply, Waiting } from '@worktrack/rpc/types';
import type { Attempt } from '@worktrack/runtime/database/implement';
import { registry } from '@worktrack/runtime/process/metrics';
import { Gauge } from 'prom-client';
import { affects, type Scope, scopeOf } from './waiting-scope.ts';

type Claim = typeof claimWorkItem;
type Context = CallContext<FailureOf<Claim>> & { readonly waiting: Waiting };

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

/** One call, and what it waits for. */
interface WaitingCall {
  readonly context: Context;
  readonly attempt: Attempt<Claim>;
  readonly resolve: (reply: Reply<Output<Claim>>) => void;
  readonly reject: (error: unknown) => void;
}

/** One claim in the queue. Calls that repeat it, by its idempotency key, share its place and its answer. */
interface Waiter {
  readonly identity: string;
  readonly scope: Scope;
  readonly calls: Set<WaitingCall>;
  /** The attempt in progress. */
  offer: Promise<Outcome> | undefined;
}
/** The outcome of an attempt: a task, none, or nothing that says anything about the tasks, as when the caller has gone. */
type Outcome = 'claimed' | 'nothing' | 'unknown';

/** An organization's, in order of arrival. */
interface Line {
  readonly waiters: Map<string, Waiter>;
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
 * They are woken by events. For each scope that an event is about (a project, or the items that a claim names), the first in the queue tries to claim, then the next,
 * until one finds nothing: then there is nothing for those behind it either. If one has found something and more tasks have become ready, that many
 * try at once. So a task that becomes ready costs its claim and one look, however many are waiting, and the database is not queried while nothing happens. A
 * missed event costs time and nothing else: each claim looks once more when its time is up.
 *
 * A replica that was frozen and believes it still holds them does no harm: a claim takes effect once, by its idempotency key.
 */
export class WaitingClaims {
  readonly #lines = new Map<string, Line>();
  readonly #listen: Listen;
  #isAsked = false;

  constructor(listen: Listen = () => {}) {
    this.#listen = listen;
  }

  /** @param earlier what the call was answered before, if it is repeated */
  async wait(
    input: Input<Claim>,
    context: Context,
    attempt: Attempt<Claim>,
    earlier: Promise<Reply<Output<Claim>> | undefined>,
  ): Promise<Reply<Output<Claim>>> {
    // Renewing is not waiting for something.
    if (input.leaseToken !== undefined) {
      return (await earlier) ?? ((await attempt(true)) as Reply<Output<Claim>>);
    }
    const { organizationId } = context.caller;
    const line = this.#lineOf(organizationId);
    const waiting = [...line.waiters.values()].reduce((sum, { calls }) => sum + calls.size, 0);
    if (waiting >= MAX_WAITING_CLAIMS) {
      throw context.fail(
        'RATE_LIMITED',
        `${MAX_WAITING_CLAIMS} claims of your organization are already waiting. Claim without waitSeconds, or let fewer agents wait.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    return await new Promise((resolve, reject) => {
      const call: WaitingCall = { context, attempt, resolve, reject };
      const waiter = this.#join(line, input, call);
      const { timeUp, gone } = context.waiting;
      whenAborted(timeUp, () => void this.#end(organizationId, line, waiter));
      whenAborted(gone, () => this.#leave(organizationId, line, waiter, call));
      earlier.then(
        (reply) => {
          if (!reply) {
            this.#firstLook(organizationId, line, waiter);
            return;
          }
          resolve(reply);
          this.#leave(organizationId, line, waiter, call);
        },
        (error) => {
          reject(error);
          this.#leave(organizationId, line, waiter, call);
        },
      );
    });
  }

  #firstLook(organizationId: string, line: Line, waiter: Waiter): void {
    this.#listenFromNow();
    lookAt(line, waiter.scope.key);
    void this.#look(organizationId, line);
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

  /** In the place of the claim that it repeats, or at the end of the queue. */
  #join(line: Line, input: Input<Claim>, call: WaitingCall): Waiter {
    const { caller, idempotencyKey } = call.context;
    const identity = JSON.stringify([idempotencyKey, caller.sessionProjectId, input]);
    let waiter = line.waiters.get(identity);
    if (!waiter) {
      waiter = { identity, scope: scopeOf(input, caller.sessionProjectId), calls: new Set(), offer: undefined };
      line.waiters.set(identity, waiter);
    }
    waiter.calls.add(call);
    waitingClaims.inc();
    return waiter;
  }

  #received(events: readonly PublishedEvent[]): void {
    const changed = new Map<string, Line>();
    for (const event of events) {
      const line = this.#lines.get(event.organizationId);
      if (!line) continue;
      const affected = new Set<string>();
      for (const waiter of line.waiters.values()) {
        if (affects(event, waiter.scope)) affected.add(waiter.scope.key);
        for (const call of waiter.calls)
          if (isAbout(event, call)) this.#endFor(event.organizationId, line, waiter, call);
      }
      for (const key of affected) lookAt(line, key, event.type === 'work_item.ready' ? 1 : 0);
      changed.set(event.organizationId, line);
    }
    for (const [organizationId, line] of changed) void this.#look(organizationId, line);
  }

  #lookEverywhere(): void {
    for (const [organizationId, line] of this.#lines) {
      for (const { scope } of line.waiters.values()) lookAt(line, scope.key);
      void this.#look(organizationId, line);
    }
  }

  /** First come, first served. What happens meanwhile is looked at next. */
  async #look(organizationId: string, line: Line): Promise<void> {
    if (line.isLooking) return;
    line.isLooking = true;
    const fruitful = new Set<string>();
    for (let next = nextOf(line, fruitful); next.length > 0; next = nextOf(line, fruitful)) {
      const { key } = (next[0] as Waiter).scope;
      const tasks = line.toLookAt.get(key) ?? 0;
      line.toLookAt.delete(key);
      const outcomes = await Promise.all(
        next.map(async (waiter) => {
          waiter.offer = this.#offer(organizationId, line, waiter, false);
          const outcome = await waiter.offer;
          waiter.offer = undefined;
          return outcome;
        }),
      );
      if (outcomes.includes('nothing')) {
        // Nothing that was known before holds any more.
        fruitful.delete(key);
        continue;
      }
      fruitful.add(key);
      const { length: claimed } = outcomes.filter((outcome) => outcome === 'claimed');
      lookAt(line, key, Math.max(0, tasks - claimed));
    }
    line.toLookAt.clear();
    line.isLooking = false;
    if (line.waiters.size === 0) this.#lines.delete(organizationId);
  }

  async #offer(organizationId: string, line: Line, waiter: Waiter, isLast: boolean): Promise<Outcome> {
    const call = await this.#callThatIsThere(organizationId, line, waiter);
    if (!call) return 'unknown';
    const settle = (tell: (call: WaitingCall) => void) => {
      takeOut(line, waiter);
      waitingClaims.dec(waiter.calls.size);
      for (const each of waiter.calls) tell(each);
      waiter.calls.clear();
    };
    try {
      const reply = await call.attempt(isLast);
      if (!reply) return 'nothing';
      settle(({ resolve }) => resolve(reply));
      return 'claimed';
    } catch (error) {
      settle(({ reject }) => reject(error));
      return 'unknown';
    }
  }

  /** If a gateway died, nothing else reveals it: what was claimed for its callers would be held by nobody until the lease ends. */
  async #callThatIsThere(organizationId: string, line: Line, waiter: Waiter): Promise<WaitingCall | undefined> {
    for (const call of waiter.calls) {
      if (await call.context.waiting.isCallerThere()) return call;
      this.#leave(organizationId, line, waiter, call);
    }
    return undefined;
  }

  /** Its time is up: the last look, which is answered whatever it finds. */
  async #end(organizationId: string, line: Line, waiter: Waiter): Promise<void> {
    await waiter.offer;
    if (waiter.calls.size === 0) return;
    takeOut(line, waiter);
    await this.#offer(organizationId, line, waiter, true);
    this.#forget(organizationId, line);
  }

  /** What its key may do has changed. Whether it may still claim is decided when the call is repeated. */
  #endFor(organizationId: string, line: Line, waiter: Waiter, call: WaitingCall): void {
    const reason = 'The API key or its user was changed while the call was waiting. Claim again.';
    call.resolve({ output: { claimed: false, workItem: null, lease: null, reason }, replayed: false });
    this.#leave(organizationId, line, waiter, call);
  }

  #leave(organizationId: string, line: Line, waiter: Waiter, call: WaitingCall): void {
    if (!waiter.calls.delete(call)) return;
    waitingClaims.dec();
    call.reject(call.context.fail('UNAVAILABLE', 'Nobody is waiting for this any more.'));
    if (waiter.calls.size > 0) return;
    takeOut(line, waiter);
    this.#forget(organizationId, line);
  }

  #lineOf(organizationId: string): Line {
    let line = this.#lines.get(organizationId);
    if (!line) {
      line = { waiters: new Map(), toLookAt: new Map(), isLooking: false };
      this.#lines.set(organizationId, line);
    }
    return line;
  }

  #forget(organizationId: string, line: Line): void {
    if (line.waiters.size === 0 && !line.isLooking) this.#lines.delete(organizationId);
  }
}

/** Not a later one of the same identity: a call that was repeated during the last look of the first waits in a place of its own. */
function takeOut({ waiters }: Line, waiter: Waiter): void {
  if (waiters.get(waiter.identity) === waiter) waiters.delete(waiter.identity);
}

function lookAt({ toLookAt }: Line, key: string, tasks = 0): void {
  toLookAt.set(key, (toLookAt.get(key) ?? 0) + tasks);
}

/**
 * The first in the queue for which there may be something, and those behind it that want the same, as many as there are tasks for. Any that want something
 * else that overlaps with these come next: of two that would take the same task, the first one gets it.
 * @param fruitful scopes in which something was found last time
 */
function nextOf({ waiters, toLookAt }: Line, fruitful: ReadonlySet<string>): Waiter[] {
  const next: Waiter[] = [];
  for (const waiter of waiters.values()) {
    const { key } = waiter.scope;
    const tasks = toLookAt.get(key);
    if (tasks === undefined) continue;
    if (next.length > 0 && key !== next[0]?.scope.key) break;
    next.push(waiter);
    if (!fruitful.has(key) || next.length >= Math.min(tasks, MAX_OFFERS)) break;
  }
  return next;
}

function isAbout({ type, subject }: PublishedEvent, { context }: WaitingCall): boolean {
  const { keyId, userId } = context.caller;
  return (type === 'key.revoked' && subject.id === keyId) || (type === 'user.updated' && subject.id === userId);
}

function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else void once(signal, 'abort').then(then);
}
