import type { OperationError } from '@worktrack/contracts/errors';
import { DeadlineTimer, nowMs } from '../clock.ts';
import { deadlineExceeded } from '../failures.ts';
import type { CallText } from '../message/envelope.ts';
import type { RequestSigner } from '../message/signature.ts';
import { OpenSet } from '../open-set.ts';
import type { LaneName } from '../queues.ts';
import type { CallTrace, Outcome, RpcObserver } from '../types.ts';

/** Where the calls in one lane of one service go. */
export interface Destination {
  readonly service: string;
  /** Of the current generation (queues.ts). */
  queue: string;
  generation: number;
  /** Generations looked for in vain since the last reply. */
  misses: number;
  /** Until then the service may be creating the next generation of its queue. */
  movesUntilMs: number;
  /** The generation whose node was last seen down. */
  downGeneration: number | undefined;
  readonly signer: RequestSigner;
  readonly lane: LaneName;
}

export interface PendingCall {
  /** In the messages about it, too. */
  id: number;
  readonly operation: string;
  readonly destination: Destination;
  readonly text: CallText;
  /** Of its text. */
  readonly bytes: number;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  /** When it was last published; undefined if it never was. */
  sentAtMs: number | undefined;
  /** Whether the caller wants `replayed` along with the output. */
  readonly whole: boolean;
  readonly trace: CallTrace | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: OperationError) => void;
}

/** The unanswered calls, in the order in which they started. Each ends once: with its reply, a failure, or its deadline. */
export class PendingCalls {
  readonly #observer: RpcObserver;
  readonly #calls = new OpenSet<PendingCall>();
  readonly #deadlines = new DeadlineTimer((now) => this.#sweep(now));
  #waiting = 0;
  #whenEmpty: (() => void) | undefined;

  constructor(observer: RpcObserver) {
    this.#observer = observer;
  }

  /** Those that may wait long, by request. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The others. */
  get underWay(): number {
    return this.#calls.size - this.#waiting;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(call: Omit<PendingCall, 'id' | 'sentAtMs'>): PendingCall {
    const pending: PendingCall = { ...call, id: 0, sentAtMs: undefined };
    this.#calls.add(pending);
    if (mayWait(pending)) this.#waiting++;
    this.#deadlines.watch(pending.deadlineAtMs);
    return pending;
  }

  get(id: number): PendingCall | undefined {
    return this.#calls.get(id);
  }

  [Symbol.iterator](): Iterator<PendingCall> {
    return this.#calls[Symbol.iterator]();
  }

  succeed(call: PendingCall, output: unknown, replayed: boolean): void {
    this.#finish(call, 'ok');
    call.resolve(call.whole ? { output, replayed } : output);
  }

  fail(call: PendingCall, error: OperationError): void {
    this.#finish(call, error.code);
    call.reject(error);
  }

  /** Resolves once there are none. */
  async empty(): Promise<void> {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => (this.#whenEmpty = resolve));
    this.#deadlines.stop();
  }

  #sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const call of this.#calls) {
      if (call.deadlineAtMs <= now) this.fail(call, deadlineExceeded(call.operation));
      else if (call.deadlineAtMs < next) next = call.deadlineAtMs;
    }
    return next;
  }

  #finish(call: PendingCall, outcome: Outcome): void {
    if (this.#calls.delete(call) && mayWait(call)) this.#waiting--;
    this.#observer.called(call.operation, outcome, nowMs() - call.startedAtMs, call.trace);
    if (this.#whenEmpty && this.#calls.size === 0) this.#whenEmpty();
  }
}

export const mayWait = ({ destination }: Pick<PendingCall, 'destination'>) => destination.lane === 'waiting';
