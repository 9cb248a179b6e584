import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import type { RawInput } from '@worktrack/contracts/operation';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { FileFull, type RecordFile } from './record-file.ts';

const RETRY_EVERY_MS = 500;
/** A broker that hangs is tried again soon after its return. */
const DELIVERY_DEADLINE_MS = 3_000;
/** Delivered at once, in one message. */
const BATCH = 64;
/** A service that is away is tried with the first submission; after this, with another one before it, to see whether that is its fault. There is time. */
export const SUSPECT_AFTER_MS = 30_000;

export type Submission = RawInput<typeof ingestFeedback>;
type Waiting = Submission & { readonly dueAtMs?: number };

/** Neither of these says whether the submission was stored; both may be followed by another attempt with the same id. */
export function isAway(error: unknown): boolean {
  return error instanceof OperationError && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}

interface LaneNeeds {
  readonly file: RecordFile;
  /** From when a submission is put here until it is tried: none where those are that have not been tried. */
  readonly delayMs: number;
  readonly suspectAfterMs: number;
  /** Where that goes on which the service fails, though it takes others. */
  readonly next: Lane | undefined;
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** It will not be tried again. */
  readonly setAside: (submission: Submission, error: OperationError) => Promise<void>;
  /** Those were stored or set aside. */
  readonly settled: (submissions: readonly Submission[]) => void;
  /** After each attempt: whether the service is there. */
  readonly tried: (isThere: boolean) => void;
  readonly changed: () => void;
}

/**
 * A file of the spool, and the delivery of its submissions, in order. Nothing is passed over while the service is away. If the service fails on a submission
 * while it takes others, that submission goes into the next lane, and holds up nothing.
 */
export class Lane {
  readonly #needs: LaneNeeds;
  readonly delivery: Promise<void>;
  #news = Promise.withResolvers<void>();
  /** So many are delivered one by one: one of them made a message with several fail. */
  #suspects = 0;
  /** Since when the first one has failed as if the service were away. */
  #awaySinceMs: number | undefined;
  /** For one line in the log when it begins, and one when it ends. */
  #hasFailed = false;

  constructor(needs: LaneNeeds) {
    this.#needs = needs;
    this.delivery = this.#deliver();
    needs.signal.addEventListener('abort', () => this.#news.resolve());
  }

  get length(): number {
    return this.#needs.file.length;
  }

  /** Resolves once it is on the disk. @throws FileFull */
  async put(submission: Submission): Promise<void> {
    const { file, delayMs } = this.#needs;
    const record: Waiting = delayMs > 0 ? { ...submission, dueAtMs: Date.now() + delayMs } : submission;
    await file.append(JSON.stringify(record));
    this.#news.resolve();
  }

  async #deliver(): Promise<void> {
    const { file, log, signal } = this.#needs;
    while (!signal.aborted) {
      if (file.length === 0) {
        this.#news = Promise.withResolvers();
        await this.#news.promise;
        continue;
      }
      try {
        await this.#deliverNext();
      } catch (error) {
        if (!this.#hasFailed) log.warn({ error }, 'Feedback cannot be stored; it waits in the spool');
        this.#hasFailed = true;
        await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => {});
        continue;
      }
      if (this.#hasFailed) log.info({}, 'Feedback is stored again; what waits in the spool follows');
      this.#hasFailed = false;
    }
    await file.close();
  }

  /** @throws what says that the service is away, or that there is no room on the disk */
  async #deliverNext(): Promise<void> {
    const { file, delayMs, signal } = this.#needs;
    const records = await file.next(this.#suspects > 0 || delayMs > 0 ? 1 : BATCH);
    const waitMs = (parse(records[0] as string).dueAtMs ?? 0) - Date.now();
    // A longer one is that of a clock that was wrong.
    if (waitMs > 0 && waitMs <= delayMs) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      return;
    }

    const submissions = records.map(submissionIn);
    const isSuspect = await this.#isThereForAnother();
    const errors = await Promise.all(submissions.map((submission) => this.#send(submission)));
    const isThere = errors.some((error) => !isAway(error));
    this.#needs.tried(isThere);
    const failures = errors.filter((error) => error && isFailure(error));
    if (failures.length > 0 && records.length > 1) {
      this.#suspects = records.length;
      if (!isThere) throw failures[0];
      return;
    }
    const [only] = submissions as [Submission];
    if (failures.length === 0) await this.#settle(submissions, errors);
    else if (isThere || delayMs > 0 || isSuspect) await this.#postpone(only, failures[0] as OperationError);
    else {
      this.#awaySinceMs ??= performance.now();
      throw failures[0];
    }

    await file.dealtWith(records);
    this.#needs.changed();
    this.#suspects = Math.max(0, this.#suspects - 1);
    this.#awaySinceMs = undefined;
  }

  /** @returns the service's refusal, or its failure */
  async #send(submission: Submission): Promise<OperationError | undefined> {
    const options = { requestId: uuidv7(), idempotencyKey: submission.itemId, deadlineMs: DELIVERY_DEADLINE_MS };
    try {
      await this.#needs.feedback.exchange('feedback.ingest', submission, options);
      return undefined;
    } catch (error) {
      if (error instanceof OperationError) return error;
      throw error;
    }
  }

  async #settle(submissions: readonly Submission[], refusals: readonly (OperationError | undefined)[]): Promise<void> {
    for (const [index, submission] of submissions.entries()) {
      const refusal = refusals[index];
      if (refusal) await this.#needs.setAside(submission, refusal);
    }
    this.#needs.settled(submissions);
  }

  /**
   * A submission that ends the process of the service looks like a service that is away. When the process may take long to start again, another submission is
   * tried before it, and not after. The first one is not tried until that succeeds, so that the process does not end as soon as it has started.
   * @returns whether the first one has failed for long enough, and the service takes another
   * @throws what says that it does not
   */
  async #isThereForAnother(): Promise<boolean> {
    const { file, suspectAfterMs } = this.#needs;
    if (this.#awaySinceMs === undefined || performance.now() - this.#awaySinceMs < suspectAfterMs) return false;
    const [, ...others] = await file.next(BATCH);
    if (others.length === 0) return false;
    const error = await this.#send(submissionIn(others[randomInt(others.length)] as string));
    if (error && isAway(error)) throw error;
    return true;
  }

  async #postpone(submission: Submission, error: OperationError): Promise<void> {
    const { next, log } = this.#needs;
    log.error({ error, itemId: submission.itemId }, 'A submission from the spool cannot be stored');
    try {
      if (next) return await next.put(submission);
    } catch (full) {
      if (!(full instanceof FileFull)) throw full;
    }
    await this.#settle([submission], [error]);
  }
}

const parse = (record: string) => JSON.parse(record) as Waiting;

export function submissionIn(record: string): Submission {
  const { dueAtMs: _, ...submission } = parse(record);
  return submission;
}

/** Not a refusal: it may be taken another time. */
function isFailure(error: OperationError): boolean {
  return isAway(error) || error.code === 'INTERNAL';
}
