import type { ErrorCode, OperationError } from '@worktrack/contracts/errors';
import { DeadlineTimer, nowMs } from '../clock.ts';
import type { RequestSigner } from '../message/signature.ts';
import type { RpcObserver } from '../types.ts';
import { deadlineExceeded } from './failures.ts';

/** Where the calls of one lane of one service go. */
export interface Destination {
  readonly service: string;
  /** Of the present generation (queues.ts). */
  queue: string;
  generation: number;
  /** Generations that were looked for in vain since the last answer. */
  misses: number;
  /** Until then the service may be making the next generation of its queue. */
  movesUntilMs: number;
  /** The generation whose node was seen down last. */
  downGeneration: number | undefined;
  readonly signer: RequestSigner;
  /** Its calls take minutes, each in a message of its own. */
  readonly long: boolean;
}

export interface PendingCall {
  readonly id: number;
  readonly operation: string;
  readonly destination: Destination;
  readonly body: string;
  readonly bodyBytes: number;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  /** When it was last published; undefined while it never was. */
  sentAtMs: number | undefined;
  /** Whether `replayed` is asked for beside the output. */
  readonly whole: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: OperationError) => void;
}

/** The calls that have no answer yet, in the order of their start. Each ends once: with its answer, a failure, or its deadline. */
export class PendingCalls {
  readonly #observer: RpcObserver;
  readonly #calls = new Map<number, PendingCall>();
  readonly #deadlines = new DeadlineTimer((now) => this.#sweep(now));
  #lastId = 0;
  #whenEmpty: (() => void) | undefined;

  constructor(observer: RpcObserver) {
    this.#observer = observer;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(call: Omit<PendingCall, 'id' | 'sentAtMs'>): PendingCall {
    const pending: PendingCall = { ...call, id: ++this.#lastId, sentAtMs: undefined };
    this.#calls.set(pending.id, pending);
    this.#deadlines.watch(pending.deadlineAtMs);
    return pending;
  }

  get(id: number): PendingCall | undefined {
    return this.#calls.get(id);
  }

  values(): IterableIterator<PendingCall> {
    return this.#calls.values();
  }

  succeed(call: PendingCall, output: unknown, replayed: boolean): void {
    this.#settle(call, 'ok');
    call.resolve(call.whole ? { output, replayed } : output);
  }

  fail(call: PendingCall, error: OperationError): void {
    this.#settle(call, error.code);
    call.reject(error);
  }

  /** Resolves once there are none. */
  async empty(): Promise<void> {
    if (this.#calls.size > 0) await new Promise<void>((resolve) => (this.#whenEmpty = resolve));
    this.#deadlines.stop();
  }

  #sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const call of this.#calls.values()) {
      if (call.deadlineAtMs <= now) this.fail(call, deadlineExceeded(call.operation));
      else if (call.deadlineAtMs < next) next = call.deadlineAtMs;
    }
    return next;
  }

  #settle(call: PendingCall, outcome: 'ok' | ErrorCode): void {
    this.#calls.delete(call.id);
    this.#observer.called(call.operation, outcome, nowMs() - call.startedAtMs);
    if (this.#whenEmpty && this.#calls.size === 0) this.#whenEmpty();
  }
}
