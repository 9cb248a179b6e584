import type { Attempt, Attempts } from './attempt.ts';
import { CATEGORIES, type Failure, ServiceError, type Submission } from './service.ts';

const MAX_QUEUED = 20;
const KEPT_MS = 7 * 24 * 3_600_000;
/** Between tries that the service does not time: doubled each time, up to the longest. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 600_000;
/** `setTimeout` takes no more than 31 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A submission that could not be sent. */
export interface Queued {
  readonly submission: Submission;
  readonly attempt: Attempt;
  readonly sinceMs: number;
  /** What the service said; a return of the network does not bring it forward. */
  readonly notBeforeMs: number;
  readonly dueMs: number;
  readonly tries: number;
}

interface QueueOwner {
  /** Sends one, once. Rejects with ServiceError. */
  deliver(submission: Submission, attempts: Attempts): Promise<void>;
  /** Whether it may be tried now. */
  canDeliver(): boolean;
  /** There are more or fewer than before. */
  changed(): void;
}

/** Failures after which the same submission may be accepted later. */
export function isWorthKeeping(code: Failure['code']): boolean {
  return /^(NETWORK|UNAVAILABLE|DEADLINE_EXCEEDED|INTERNAL|RATE_LIMITED)$/.test(code);
}

/**
 * Keeps unsent submissions in the site's local storage, so that they survive the tab. They are sent in order by any open page with the widget once their time
 * has come. Each keeps the key of its first attempt: the service stores it once, even if two tabs send it.
 */
export class Queue {
  readonly #name: string;
  readonly #owner: QueueOwner;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSending = false;

  constructor(publicKey: string, owner: QueueOwner) {
    this.#name = `worktrack-feedback-queue:${publicKey}`;
    this.#owner = owner;
    addEventListener('online', () => this.wake(0));
    // What has been kept for too long is not kept any longer.
    this.#write(this.#read());
    this.wake();
  }

  get length(): number {
    return this.#read().length;
  }

  /** @returns false if it cannot be kept: there is no storage, or too much in it */
  add(submission: Submission, attempt: Attempt, failure: Failure): boolean {
    const all = this.#read();
    if (all.length >= MAX_QUEUED) return false;
    const queued = { submission, attempt, sinceMs: Date.now(), tries: 1, ...timesAfter(failure, 0) };
    if (!this.#write([...all, queued])) return false;
    this.wake();
    return true;
  }

  /** @param afterMs when to send; default: when the first is due */
  wake(afterMs?: number): void {
    clearTimeout(this.#timer);
    const [first] = this.#read();
    if (!first) return;
    const ms = afterMs ?? Math.min(Math.max(0, first.dueMs - Date.now()), MAX_TIMER_MS);
    this.#timer = setTimeout(() => void this.#sendAll(), ms);
  }

  async #sendAll(): Promise<void> {
    // Without a network, its return wakes the queue.
    if (this.#isSending || !navigator.onLine || !this.#owner.canDeliver()) return;
    this.#isSending = true;
    // Absent on pages without https.
    const locks = navigator.locks as LockManager | undefined;
    try {
      await (locks ? locks.request(this.#name, { ifAvailable: true }, (lock) => lock && this.#send()) : this.#send());
    } finally {
      this.#isSending = false;
    }
    const [first] = this.#read();
    // At least this long, for another tab may be at it.
    if (first) this.wake(Math.max(FIRST_WAIT_MS, Math.min(first.dueMs - Date.now(), MAX_TIMER_MS)));
  }

  async #send(): Promise<void> {
    for (let [next] = this.#read(); next; [next] = this.#read()) {
      if (next.notBeforeMs > Date.now()) return;
      const { key } = next.attempt;
      try {
        await this.#owner.deliver(next.submission, this.#attemptsOf(next));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { code } = error.failure;
        // It will never be accepted, or the service has it already.
        const isDecided = /^(VALIDATION_FAILED|PAYLOAD_TOO_LARGE|IDEMPOTENCY_KEY_REUSED|DUPLICATE_FEEDBACK)$/.test(
          code,
        );
        if (!isDecided) {
          this.#change(key, (it) => ({ ...it, ...timesAfter(error.failure, it.tries), tries: it.tries + 1 }));
          return;
        }
      }
      this.#change(key, () => undefined);
      this.#owner.changed();
    }
  }

  #attemptsOf({ attempt }: Queued): Attempts {
    const { key } = attempt;
    const keep = (kept: Attempt = attempt) => {
      attempts.attempt = kept;
      this.#change(key, (it) => ({ ...it, attempt: kept }));
    };
    const attempts = { attempt, keep };
    return attempts;
  }

  /** As it is now: another tab may have changed it. */
  #change(key: string, change: (it: Queued) => Queued | undefined): void {
    this.#write(this.#read().flatMap((it) => (it.attempt.key === key ? (change(it) ?? []) : it)));
  }

  #read(): Queued[] {
    try {
      const stored = JSON.parse(localStorage.getItem(this.#name) ?? '[]') as Queued[];
      return stored.filter(isQueued).map(inThisTime);
    } catch {
      // Refused, or not ours to read.
      return [];
    }
  }

  #write(all: readonly Queued[]): boolean {
    try {
      if (all.length > 0) localStorage.setItem(this.#name, JSON.stringify(all));
      else localStorage.removeItem(this.#name);
      return true;
    } catch {
      return false;
    }
  }
}

function isQueued({ submission, attempt, sinceMs }: Queued): boolean {
  const isWhole = typeof attempt?.key === 'string' && CATEGORIES.includes(submission?.category);
  return isWhole && Date.now() - sinceMs < KEPT_MS;
}

/** Kept in what is the future by now, it says that a clock was wrong, and has been set since: none of its times mean anything. */
function inThisTime(queued: Queued): Queued {
  const nowMs = Date.now();
  return queued.sinceMs > nowMs ? { ...queued, sinceMs: nowMs, notBeforeMs: nowMs, dueMs: nowMs } : queued;
}

function timesAfter({ retryAfterSeconds }: Failure, tries: number): Pick<Queued, 'notBeforeMs' | 'dueMs'> {
  const notBeforeMs = Date.now() + (retryAfterSeconds ?? 0) * 1_000;
  const ownMs = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
  return { notBeforeMs, dueMs: retryAfterSeconds === undefined ? notBeforeMs + ownMs : notBeforeMs };
}
