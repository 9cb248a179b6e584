import { createHash } from 'node:crypto';
import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Answered, Call } from '@worktrack/rpc/types';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { type Duplicates, type Reservation, reservationOf } from '@worktrack/runtime/redis/duplicates';
import { searchText } from '@worktrack/runtime/text/words';
import { expiredOf } from '../sources/sources.repository.ts';
import { emailKeyOf, eraseTexts } from './erasure.repository.ts';
import type { ItemDocument } from './items.model.ts';
import { insertItems, storedItems } from './items.repository.ts';
import { RECEIVED_REVISION, tellReceived } from './received.repository.ts';

type Submission = Call<typeof ingestFeedback>;
type Answer = Answered<Output<typeof ingestFeedback>>;

interface Attempt {
  readonly call: Submission;
  readonly document: ItemDocument;
  readonly reservation: Reservation;
}

/**
 * Stores the submissions of one message with one insert; of equal ones only the first.
 * The id of an item is the identity of its submission. So a repeated attempt (a redelivered message, a call repeated by the gateway, a client that sent its
 * Idempotency-Key again) finds the stored item, and gets the same answer.
 */
export async function ingest(duplicates: Duplicates, calls: readonly Submission[]): Promise<Answer[]> {
  const attempts = calls.map(attemptOf);
  const deadlineAtMs = Math.max(...calls.map(({ context }) => context.deadlineAtMs));
  // What waited in a spool was reserved when it was accepted there: the window counts from then.
  const late = new Set(attempts.filter(({ call }) => call.input.acceptedAt !== undefined));
  const wanted = attempts.filter((attempt) => !attempt.call.input.onlyAgain && !late.has(attempt));
  const holds = await duplicates.reserve(
    wanted.map(({ reservation }) => reservation),
    deadlineAtMs,
  );
  const held = new Set(wanted.filter((_, i) => holds[i]));
  const taken = new Set(wanted.filter((_, i) => holds[i] === 'taken'));
  const isAdmitted = attempts.map((attempt) => held.has(attempt) || late.has(attempt));
  const admitted = attempts.filter((_, i) => isAdmitted[i]);
  const release = (some: readonly Attempt[]) =>
    duplicates.release(some.filter((attempt) => taken.has(attempt)).map(({ reservation }) => reservation));
  const failures = await store(admitted, release, deadlineAtMs);
  if (admitted.length > 0) tellReceived();

  // What was refused or already exists may be an attempt at a submission that was stored before: check before answering.
  const again = attempts.filter((attempt, i) => !isAdmitted[i] || failures.get(attempt) === 'exists');
  const stored = await storedItems(again.map(({ document }) => document));

  await eraseExpired([...late]);

  const answers = attempts.map((attempt, i): { readonly answer: Answer; readonly keep: boolean } => {
    const { call, document } = attempt;
    const failure = failures.get(attempt);
    if (isAdmitted[i] && failure === undefined) return { answer: { output: answerOf(document) }, keep: true };
    const earlier = stored.get(document._id);
    if (earlier) {
      if (isRepetition(earlier, document)) {
        return { answer: { output: answerOf(earlier), replayed: true }, keep: true };
      }
      const reused = call.context.fail(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used for another submission. Use a new key for a new submission.',
      );
      return { answer: { error: reused.toValue() }, keep: false };
    }
    if (failure instanceof Error) {
      call.context.log.error({ error: failure }, 'A feedback item was not stored');
      const error = call.context.fail('UNAVAILABLE', 'The feedback was not stored. Send it again.', RETRY_SOON);
      return { answer: { error: error.toValue() }, keep: false };
    }
    const duplicate = call.context.fail(
      'DUPLICATE_FEEDBACK',
      'The same message was submitted to this source within the last ten minutes. There is no need to send it again.',
    );
    return { answer: { error: duplicate.toValue() }, keep: true };
  });

  const confirmed = attempts.filter((attempt, i) => held.has(attempt) && answers[i]?.keep);
  const released = attempts.filter((attempt, i) => held.has(attempt) && !answers[i]?.keep);
  await Promise.all([duplicates.confirm(confirmed.map(({ reservation }) => reservation)), release(released)]);
  return answers.map(({ answer }) => answer);
}

/**
 * What waited in a gateway's spool may be older than its source keeps anything, or than the end of its source: the daily pass has been where it belongs. It was accepted, so it
 * is an item as others are that have expired, each time that it comes: whoever stored it may have died since.
 */
async function eraseExpired(late: readonly Attempt[]): Promise<void> {
  const expired = await expiredOf(
    late.map(({ document }) => document),
    new Date(),
  );
  for (const [organizationId, items] of Map.groupBy(expired, (item) => item.organizationId)) {
    const ids = items.map(({ _id }) => _id);
    await commitAlone((scope) => eraseTexts({ caller: { organizationId }, ...scope }, ids));
  }
}

const RETRY_SOON = { retryAfterSeconds: 1 };

/** @returns what was not stored; if nothing could be, the reservations are released and the failure is thrown */
async function store(
  admitted: readonly Attempt[],
  release: (attempts: readonly Attempt[]) => Promise<void>,
  deadlineAtMs: number,
): Promise<ReadonlyMap<Attempt, 'exists' | Error>> {
  if (admitted.length === 0) return new Map();
  try {
    const documents = admitted.map(({ document }) => document);
    const failures = await insertItems(documents).catch((error: unknown) =>
      insertAgain(documents, error, deadlineAtMs),
    );
    return new Map([...failures].map(([i, failure]) => [admitted[i] as Attempt, failure]));
  } catch (error) {
    await release(admitted);
    throw error;
  }
}

/**
 * Where the command failed as a whole (the connection ended, another server became the primary), nobody knows what it stored. It is sent once more, as
 * the driver's `retryWrites` would, which not every server supports: the ids make that safe, since what is already there is answered as stored.
 */
function insertAgain(documents: readonly ItemDocument[], failure: unknown, deadlineAtMs: number) {
  if (Date.now() >= deadlineAtMs) throw failure;
  return insertItems(documents);
}

function attemptOf(call: Submission): Attempt {
  const document = documentOf(call.input, new Date(call.input.acceptedAt ?? Date.now()));
  return { call, document, reservation: reservationOf(document.sourceId, document.message, document._id) };
}

function documentOf(input: Input<typeof ingestFeedback>, now: Date): ItemDocument {
  const { itemId, message, category, email = null, pageUrl = null, locale = null } = input;
  const content = [message, category, email, pageUrl, locale];
  return {
    _id: itemId,
    organizationId: input.organizationId,
    sourceId: input.sourceId,
    status: 'new',
    message,
    category,
    email,
    ...(email !== null && { emailKey: emailKeyOf(email) }),
    pageUrl,
    locale,
    origin: input.origin,
    ipHash: input.ipHash,
    contentHash: createHash('sha256').update(JSON.stringify(content)).digest('base64url'),
    searchText: searchText(message, email ?? ''),
    linkedWorkItemIds: [],
    createdAt: now,
    updatedAt: now,
    revision: RECEIVED_REVISION,
    unpublished: true,
  };
}

/** If it was erased since, nothing is left to compare; it stays erased. */
function isRepetition(earlier: ItemDocument, { contentHash, sourceId }: ItemDocument): boolean {
  return earlier.sourceId === sourceId && (earlier.erasedAt !== undefined || earlier.contentHash === contentHash);
}

/** As it was when it was stored, whatever has become of it since. */
function answerOf({ _id, createdAt }: ItemDocument): Output<typeof ingestFeedback> {
  return { id: _id, status: 'new', createdAt: createdAt.toISOString() };
}
