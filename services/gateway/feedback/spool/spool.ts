import { hash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import { DEFAULT_DEADLINE_MS, type RawInput } from '@worktrack/contracts/operation';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { Duplicates, reservationOf } from '@worktrack/runtime/redis/duplicates';
import { Gauge } from 'prom-client';
import { type Folders, takeFolders } from './folder.ts';
import { FileFull, RecordFile } from './record-file.ts';

/** A broker that hangs must not make every visitor wait as long as the others' calls do. */
export const MAX_WAIT_BEFORE_SPOOLING_MS = 3_000;
const RETRY_EVERY_MS = 500;
/** A broker that hangs is tried again soon after its return. */
const DELIVERY_DEADLINE_MS = 3_000;
/** Delivered at once, in one message. */
const BATCH = 64;
const RETRY_AFTER_SECONDS = 30;
const FILE = 'submissions';
const DAMAGED = `it is kept in ${FILE}.damaged, and what follows it is stored`;
const REFUSED_FILE = 'refused.jsonl';

const waiting = new Gauge({
  name: 'worktrack_intake_spool_records',
  help: 'Accepted submissions that wait in the spool of this gateway.',
  registers: [registry],
});
waiting.set(0);

export type Submission = RawInput<typeof ingestFeedback>;

/** Neither of these says whether the submission was stored; both may be followed by another attempt with the same id. */
export function isAway(error: unknown): boolean {
  return error instanceof OperationError && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}

/**
 * Where submissions wait that the broker or the feedback service cannot take. Each is on the disk before it is acknowledged, and delivered in order once they are
 * back, by this process or the next: at least once, and the id of its item makes that once in effect.
 */
export class Spool {
  readonly #folders: Folders;
  readonly #files: readonly RecordFile[];
  /** The first of them: what is accepted goes there. */
  readonly #file: RecordFile;
  readonly #feedback: ServiceClient<typeof feedbackContract>;
  readonly #duplicates: Duplicates;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** What the items that wait here are made of, by their ids: a submission with the same key is either this one again, or another. */
  readonly #contents: Map<string, string>;
  readonly #deliveries: Promise<void>[];
  #news = Promise.withResolvers<void>();
  #isAway = false;
  /** For one line in the log when it begins, and one when it ends. */
  #hasFailed = false;

  private constructor(needs: SpoolNeeds, folders: Folders, files: readonly RecordFile[], found: readonly Submission[]) {
    this.#contents = new Map(found.map((submission) => [submission.itemId, contentOf(submission)]));
    this.#folders = folders;
    this.#files = files;
    this.#file = files[0] as RecordFile;
    this.#feedback = needs.feedback;
    this.#log = needs.log;
    this.#duplicates = new Duplicates(needs.redis, needs.log);
    this.#tell();
    this.#deliveries = files.map((file, index) => this.#deliver(file, folders.paths[index] as string));
  }

  static async open(needs: SpoolNeeds): Promise<Spool> {
    const folders = await takeFolders(needs.folder);
    const maxBytes = needs.maxMebibytes * 1024 * 1024;
    const files = await Promise.all(folders.paths.map((path) => RecordFile.open(join(path, FILE), maxBytes)));
    files.forEach(({ damagedBytes }, index) => {
      const folder = folders.paths[index];
      if (damagedBytes > 0) needs.log.error({ folder, damagedBytes }, `A part of the spool was damaged: ${DAMAGED}`);
    });
    const records = (await Promise.all(files.map((file) => file.next(file.length)))).flat();
    const found = records.map((record) => JSON.parse(record) as Submission);
    return new Spool(needs, folders, files, found);
  }

  /** Nothing needs to be tried first: the latest attempt has failed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Resolves once it is on the disk.
   * @throws OperationError DUPLICATE_FEEDBACK, IDEMPOTENCY_KEY_REUSED as the feedback service would; UNAVAILABLE if there is no room
   */
  async accept(submission: Submission): Promise<'spooled' | 'repeated'> {
    const { itemId, sourceId, message } = submission;
    const content = contentOf(submission);
    const earlier = this.#contents.get(itemId);
    if (earlier === content) return 'repeated';
    if (earlier !== undefined) {
      const reused = 'This Idempotency-Key was used for another submission. Use a new key for a new submission.';
      throw new OperationError('IDEMPOTENCY_KEY_REUSED', reused);
    }
    const reservation = reservationOf(sourceId, message, itemId);
    const [isHeld] = await this.#duplicates.reserve([reservation], Date.now() + DEFAULT_DEADLINE_MS);
    if (!isHeld) {
      const again =
        'The same message was submitted to this source within the last ten minutes. There is no need to send it again.';
      throw new OperationError('DUPLICATE_FEEDBACK', again);
    }
    try {
      await this.#file.append(JSON.stringify({ ...submission, acceptedAt: new Date().toISOString() }));
    } catch (error) {
      await this.#duplicates.release([reservation]);
      if (!(error instanceof FileFull)) this.#log.error({ error }, 'The spool cannot be written');
      throw new OperationError('UNAVAILABLE', 'The feedback cannot be stored at the moment. Send it again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#isAway = true;
    this.#contents.set(itemId, content);
    this.#tell();
    this.#news.resolve();
    await this.#duplicates.confirm([reservation]);
    return 'spooled';
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#news.resolve();
    await Promise.all(this.#deliveries);
    this.#folders.release();
  }

  async #deliver(file: RecordFile, folder: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (file.length === 0) {
        if (file !== this.#file) break;
        this.#isAway = false;
        this.#news = Promise.withResolvers();
        await this.#news.promise;
        continue;
      }
      try {
        const records = await file.next(BATCH);
        const submissions = records.map((record) => JSON.parse(record) as Submission);
        await Promise.all(submissions.map((submission) => this.#deliverOne(submission, folder)));
        this.#isAway = false;
        await file.dealtWith(records);
        for (const { itemId } of submissions) this.#contents.delete(itemId);
        this.#tell();
      } catch (error) {
        if (!this.#hasFailed) this.#log.warn({ error }, 'Feedback cannot be stored; it waits in the spool');
        this.#hasFailed = true;
        this.#isAway = true;
        await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => {});
        continue;
      }
      if (this.#hasFailed) this.#log.info({}, 'Feedback is stored again; what waits in the spool follows');
      this.#hasFailed = false;
    }
    await file.close();
  }

  #tell(): void {
    waiting.set(this.#files.reduce((sum, { length }) => sum + length, 0));
  }

  async #deliverOne(submission: Submission, folder: string): Promise<void> {
    const options = { requestId: uuidv7(), idempotencyKey: submission.itemId, deadlineMs: DELIVERY_DEADLINE_MS };
    try {
      await this.#feedback.exchange('feedback.ingest', submission, options);
    } catch (error) {
      if (!(error instanceof OperationError) || isAway(error) || error.code === 'INTERNAL') throw error;
      // It was accepted, so it is not thrown away, whatever is wrong with it.
      this.#log.error(
        { error, itemId: submission.itemId },
        'A submission from the spool was refused; it is kept beside it',
      );
      const line = `${JSON.stringify({ refused: error.code, ...submission })}\n`;
      await appendFile(join(folder, REFUSED_FILE), line, { mode: 0o600, flush: true });
    }
  }
}

/** What must be the same for a key to be used again. */
function contentOf({ message, category, email, pageUrl, locale }: Submission): string {
  return hash('sha256', JSON.stringify([message, category, email, pageUrl, locale]));
}

interface SpoolNeeds {
  readonly folder: string;
  readonly maxMebibytes: number;
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly redis: Redis;
  readonly log: Log;
}
