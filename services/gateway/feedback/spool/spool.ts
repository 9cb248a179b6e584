import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { DEFAULT_DEADLINE_MS } from '@worktrack/contracts/operation';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { Duplicates, reservationOf } from '@worktrack/runtime/redis/duplicates';
import { Gauge } from 'prom-client';
import { type Folders, takeFolders } from './folder.ts';
import { Lane, SUSPECT_AFTER_MS, type Submission, submissionIn } from './lane.ts';
import { FileFull, RecordFile } from './record-file.ts';
import { Shares } from './shares.ts';

/** A broker that hangs must not make every visitor wait as long as the others' calls do. */
export const MAX_WAIT_BEFORE_SPOOLING_MS = 3_000;
const RETRY_AFTER_SECONDS = 30;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What the service fails on, though it takes others, is tried again after these: for a day. */
const POSTPONED_BY_MS = [10_000, MINUTE_MS, 10 * MINUTE_MS, 2 * HOUR_MS, 22 * HOUR_MS];
const FILE = 'submissions';
const REFUSED_FILE = 'refused.jsonl';
/** What an operator has renamed to this is delivered once more. */
const AGAIN_FILE = 'again.jsonl';

const waiting = new Gauge({
  name: 'worktrack_intake_spool_records',
  help: 'Accepted submissions that wait in the spool of this gateway.',
  registers: [registry],
});
waiting.set(0);

/** Of the folders that this process holds. */
const asideFiles: string[] = [];
new Gauge({
  name: 'worktrack_intake_spool_aside_bytes',
  help: 'Beside the spool of this gateway: submissions that were accepted and cannot be stored, and what a disk has damaged.',
  registers: [registry],
  async collect() {
    const sizes = await Promise.all(
      asideFiles.map((path) =>
        stat(path).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    this.set(sizes.reduce((sum, size) => sum + size, 0));
  },
});

/**
 * Holds submissions that the broker or the feedback service cannot take. Each is on the disk before it is acknowledged. They are delivered in order once both
 * are back, by this process or the next: at least once, which the id of the item makes once in effect.
 */
export class Spool {
  readonly #folders: Folders;
  readonly #lanes: readonly Lane[];
  /** The first lane, which newly accepted submissions enter. */
  readonly #lane: Lane;
  readonly #duplicates: Duplicates;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** What waits here, by the ids of the items: a submission with the same key is either this one again, or another. */
  readonly #held: Map<string, Held>;
  readonly #shares = new Shares();
  /** Where newly accepted submissions are appended. */
  readonly #freeBytes: () => number;
  #underWayBytes = 0;
  /** Of these it is not known yet. */
  readonly #underWay = new Map<string, { readonly content: string; readonly accepted: Promise<unknown> }>();
  #isAway = false;

  private constructor(needs: SpoolNeeds, folders: Folders, opened: readonly OpenedFolder[]) {
    setMaxListeners(0, this.#stopping.signal);
    this.#held = new Map(opened.flatMap(({ held }) => [...held]));
    for (const held of this.#held.values()) this.#shares.add(held, held.bytes);
    this.#freeBytes = (opened[0] as OpenedFolder).freeBytes;
    this.#folders = folders;
    this.#log = needs.log;
    this.#duplicates = new Duplicates(needs.redis, needs.log);
    this.#lanes = opened.flatMap((folder) => this.#lanesOf(folder, needs));
    this.#lane = this.#lanes[0] as Lane;
    this.#tell();
  }

  static async open(needs: SpoolNeeds): Promise<Spool> {
    const folders = await takeFolders(needs.folder).catch((cause: Error) => {
      const why = `${needs.folder} cannot be used: ${cause.message}`;
      throw new Error(`FEEDBACK_SPOOL_DIR: ${why}. Set it to a folder that the gateway may make, or write to.`, {
        cause,
      });
    });
    return new Spool(needs, folders, await Promise.all(folders.paths.map((path) => openFolder(path, needs))));
  }

  /** Nothing needs to be tried first: the latest attempt has failed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Whether this very submission waits here. */
  holds(submission: Submission): boolean {
    return this.#held.get(submission.itemId)?.content === contentOf(submission);
  }

  /**
   * Resolves once it is on the disk.
   * @throws OperationError DUPLICATE_FEEDBACK, IDEMPOTENCY_KEY_REUSED as the feedback service would; UNAVAILABLE if there is no room
   */
  async accept(submission: Submission): Promise<'spooled' | 'repeated'> {
    const { itemId } = submission;
    const content = contentOf(submission);
    const first = this.#underWay.get(itemId);
    if (first) {
      const isAccepted = await first.accepted.then(
        () => true,
        () => false,
      );
      if (!isAccepted) return await this.accept(submission);
      if (first.content !== content) throw reused();
      return 'repeated';
    }
    if (this.holds(submission)) return 'repeated';
    if (this.#held.has(itemId)) throw reused();
    const accepted = this.#acceptFirst(submission);
    this.#underWay.set(itemId, { content, accepted });
    return await accepted.finally(() => this.#underWay.delete(itemId));
  }

  async #acceptFirst(submission: Submission): Promise<'spooled'> {
    const { itemId, sourceId, message } = submission;
    const reservation = reservationOf(sourceId, message, itemId);
    const [hold] = await this.#duplicates.reserve([reservation], Date.now() + DEFAULT_DEADLINE_MS);
    if (!hold) {
      const again =
        'The same message was submitted to this source within the last ten minutes. There is no need to send it again.';
      throw new OperationError('DUPLICATE_FEEDBACK', again);
    }
    const accepted = { ...submission, acceptedAt: new Date().toISOString() };
    const held = heldOf(accepted);
    const isWithin = this.#shares.isWithin(held, held.bytes, this.#freeBytes() - this.#underWayBytes);
    // Before waiting for anything, so that concurrent ones see each other.
    this.#shares.add(held, held.bytes);
    this.#underWayBytes += held.bytes;
    try {
      if (!isWithin) throw new FileFull('The source or its organization has used up its share.');
      await this.#lane.put(accepted);
    } catch (error) {
      this.#shares.add(held, -held.bytes);
      if (hold === 'taken') await this.#duplicates.release([reservation]);
      if (!(error instanceof FileFull)) this.#log.error({ error }, 'The spool cannot be written');
      throw new OperationError('UNAVAILABLE', 'The feedback cannot be stored at the moment. Send it again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    } finally {
      this.#underWayBytes -= held.bytes;
    }
    this.#isAway = true;
    this.#held.set(itemId, held);
    this.#tell();
    await this.#duplicates.confirm([reservation]);
    return 'spooled';
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#lanes.map(({ delivery }) => delivery));
    this.#folders.release();
  }

  /** @returns the lane of untried submissions first, and that of their last try last */
  #lanesOf({ path, files }: OpenedFolder, needs: SpoolNeeds): Lane[] {
    const { feedback, log, postponedByMs = POSTPONED_BY_MS, suspectAfterMs = SUSPECT_AFTER_MS } = needs;
    const lanes: Lane[] = [];
    for (const [index, file] of [...files.entries()].toReversed()) {
      const lane = new Lane({
        ...{ file, feedback, log, suspectAfterMs, signal: this.#stopping.signal },
        delayMs: postponedByMs[index - 1] ?? 0,
        next: lanes[0],
        setAside: (submission, error) => this.#setAside(submission, error, path),
        settled: (submissions) => {
          for (const { itemId } of submissions) this.#letGo(itemId);
        },
        tried: (isThere) => {
          if (index === 0) this.#isAway = !isThere;
        },
        changed: () => this.#tell(),
      });
      lanes.unshift(lane);
    }
    return lanes;
  }

  #letGo(itemId: string): void {
    const held = this.#held.get(itemId);
    if (!held) return;
    this.#held.delete(itemId);
    this.#shares.add(held, -held.bytes);
  }

  #tell(): void {
    waiting.set(this.#lanes.reduce((sum, { length }) => sum + length, 0));
  }

  /** It was accepted, so it is not thrown away, whatever is wrong with it. */
  async #setAside(submission: Submission, error: OperationError, folder: string): Promise<void> {
    this.#log.error(
      { error, itemId: submission.itemId },
      'A submission from the spool was refused; it is kept beside it',
    );
    const line = `${JSON.stringify({ refused: error.code, ...submission })}\n`;
    await appendFile(join(folder, REFUSED_FILE), line, { mode: 0o600, flush: true });
  }
}

interface OpenedFolder {
  readonly path: string;
  readonly files: readonly RecordFile[];
  readonly held: ReadonlyMap<string, Held>;
  readonly freeBytes: () => number;
}

async function openFolder(path: string, needs: SpoolNeeds): Promise<OpenedFolder> {
  const { log, maxMebibytes, postponedByMs = POSTPONED_BY_MS } = needs;
  const held = new Map<string, Held>();
  const note = (submission: Submission) => held.set(submission.itemId, heldOf(submission));
  const names = [FILE, ...postponedByMs.map((_, index) => `${FILE}.postponed-${index + 1}`)];
  const maxBytes = maxMebibytes * 1024 * 1024;
  /** The part of the folder's limit that its other files leave: only newly accepted submissions must find room there. */
  const left = () => files.slice(1).reduce((bytes, { sizeBytes }) => bytes - sizeBytes, maxBytes);
  const files: readonly RecordFile[] = await Promise.all(
    names.map((name, index) =>
      RecordFile.open(join(path, name), index === 0 ? left : () => Number.POSITIVE_INFINITY, (record) =>
        note(submissionIn(record)),
      ),
    ),
  );
  for (const [index, { damagedBytes }] of files.entries()) {
    if (damagedBytes === 0) continue;
    log.error(
      { folder: path, damagedBytes },
      `A part of the spool was damaged: it is kept in ${names[index]}.damaged, and what follows it is stored`,
    );
  }
  // Also what an operator has renamed, until it is delivered: with a line that cannot be read, none of it is.
  asideFiles.push(
    join(path, REFUSED_FILE),
    join(path, AGAIN_FILE),
    ...names.map((name) => join(path, `${name}.damaged`)),
  );
  await deliverAgain(join(path, AGAIN_FILE), files[0] as RecordFile).catch((error: unknown) =>
    log.error({ error, folder: path }, `${AGAIN_FILE} cannot be delivered`),
  );
  const freeBytes = () => left() - (files[0] as RecordFile).sizeBytes;
  return { path, files, held, freeBytes };
}

async function deliverAgain(path: string, file: RecordFile): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const submissions = text.split('\n').flatMap((line, index) => (line === '' ? [] : [refusedIn(line, index + 1)]));
  if (submissions.length === 0) return;
  await Promise.all(submissions.map(({ refused: _, ...submission }) => file.append(JSON.stringify(submission))));
  await rm(path);
}

function refusedIn(line: string, number: number): Submission & { readonly refused?: string } {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`Line ${number} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function reused(): OperationError {
  const message = 'This Idempotency-Key was used for another submission. Use a new key for a new submission.';
  return new OperationError('IDEMPOTENCY_KEY_REUSED', message);
}

interface Held extends Pick<Submission, 'organizationId' | 'sourceId'> {
  readonly content: string;
  readonly bytes: number;
}

function heldOf(submission: Submission): Held {
  const { organizationId, sourceId } = submission;
  const bytes = Buffer.byteLength(JSON.stringify(submission));
  return { organizationId, sourceId, content: contentOf(submission), bytes };
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
  /** Until each further attempt at what the service fails on. */
  readonly postponedByMs?: readonly number[];
  /** How long the first one fails as if the service were away, until others are tried before it. */
  readonly suspectAfterMs?: number;
}
