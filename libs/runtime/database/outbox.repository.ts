import type { Caller } from '@worktrack/contracts/caller';
import type { EventSubject, EventType, PublishedEvent } from '@worktrack/contracts/events/event';
import type { ClientSession } from 'mongoose';
import { uuidv7 } from '../process/uuid.ts';
import { boundedJson } from './bounded-data.ts';
import { OutboxModel, type OutboxRecord } from './outbox.model.ts';
import type { WriteSet } from './write-set.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly subject: EventSubject;
  /** Of the subject, after the write that makes the event. It orders the subject's events, so it counts up with each of its writes. */
  readonly revision: number;
  readonly projectId?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** Default: the caller. `null`: nobody in particular. */
  readonly actor?: PublishedEvent['actor'];
}

/**
 * Puts an event into the outbox, in the same write as what it tells of: both are there, or neither is. It is published soon afterwards, at least once
 * (transactional outbox).
 * @param event its data are shortened where they are large (bounded-data.ts)
 * @returns the event's id
 */
export function emit(
  {
    caller,
    writes,
  }: { readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'keyId'>; readonly writes: WriteSet },
  { type, subject, revision, projectId, data, actor }: NewEvent,
): string {
  const { organizationId, userId, keyId } = caller;
  const record: OutboxRecord = {
    _id: uuidv7(),
    organizationId,
    type,
    at: new Date().toISOString(),
    actor: actor === undefined ? { userId, keyId } : actor,
    ...(projectId !== undefined && { projectId }),
    subject,
    revision,
    data: boundedJson(data),
  };
  writes.insert(OutboxModel, record);
  return record._id;
}

/** Puts an event into the outbox that was made elsewhere, as it is: the log knows by its id whether it has it already. */
export function emitAgain(writes: WriteSet, { id, data, ...event }: PublishedEvent): void {
  const record: OutboxRecord = { ...event, _id: id, data: boundedJson(data) };
  writes.insert(OutboxModel, record);
}

/** Takes an event out of a write again: what it told has been undone before the end of the rule. */
export function retract({ writes }: { readonly writes: WriteSet }, eventId: string): void {
  writes.withdraw(OutboxModel, eventId);
}

/** An event of before there was an outbox, as it stands in one. */
export function pastRecord({ id, data, ...event }: PublishedEvent): OutboxRecord {
  return { ...event, _id: id, data: boundedJson(data) };
}

/** For a migration. An event that is in the outbox already is refused. */
export async function insertPast(records: readonly OutboxRecord[], tx: ClientSession): Promise<void> {
  await OutboxModel.insertMany(records, { session: tx, lean: true });
}

/** Whether what is waiting is so little that a migration may put more into the outbox. */
export async function outboxHasRoom(maxWaiting: number): Promise<boolean> {
  return (await OutboxModel.estimatedDocumentCount()) < maxWaiting;
}
