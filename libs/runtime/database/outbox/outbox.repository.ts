import type { AuditDraft } from '@worktrack/contracts/audit/entry';
import type { Caller } from '@worktrack/contracts/caller';
import { AUDIT_ENTRY, type EventSubject, type EventType, type PublishedEvent } from '@worktrack/contracts/events/event';
import mongoose from 'mongoose';
import type { OutboxSource } from '../../events/outbox-publisher.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { oneOf } from '../one-of.ts';
import { databaseServer } from '../server.ts';
import type { WriteSet } from '../writes/write-set.ts';
import { boundedJson } from './bounded-data.ts';
import { OutboxModel, type OutboxRecord } from './outbox.model.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly subject: EventSubject;
  /** The subject's, after the write that makes the event. It orders the subject's events, so it increases with each of its writes. */
  readonly revision: number;
  readonly projectId?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** Default: the caller. `null`: nobody in particular. */
  readonly actor?: PublishedEvent['actor'];
}

/**
 * Puts an event into the outbox, in the same write as what it reports: both are there, or neither is. It is published soon afterwards, at least once
 * (transactional outbox).
 * @param event its data is shortened if it is large (bounded-data.ts)
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
  put(writes, record);
  const emitted = emittedBy.get(writes) ?? [];
  emitted.push({ type, subject, revision, data });
  emittedBy.set(writes, emitted);
  return record._id;
}

const emittedBy = new WeakMap<WriteSet, NewEvent[]>();

/** What a write has emitted so far. */
export function emittedIn(writes: WriteSet): readonly NewEvent[] {
  return emittedBy.get(writes) ?? [];
}

/** Puts an entry of the audit log into the outbox, in the same write as what it reports. It takes the events' way, and is none. */
export function putEntry(writes: WriteSet, organizationId: string, entry: AuditDraft): void {
  const { id, at, ...rest } = entry;
  put(writes, {
    _id: id,
    organizationId,
    type: AUDIT_ENTRY,
    at,
    actor: null,
    // Its own: entries wait for no other.
    subject: { kind: 'audit', id },
    revision: 1,
    data: JSON.stringify(rest),
  });
}

/** Puts an event made elsewhere into the outbox unchanged: the log knows by its id whether it already has it. */
export function emitAgain(writes: WriteSet, { id, data, ...event }: PublishedEvent): void {
  put(writes, { ...event, _id: id, data: boundedJson(data) });
}

/** Removes an event from a write again: what it reported was undone before the end of the rule. */
export function retract({ writes }: { readonly writes: WriteSet }, eventId: string): void {
  writes.withdraw(OutboxModel, eventId);
}

function put(writes: WriteSet, record: OutboxRecord): void {
  writes.insert(OutboxModel, record);
  writes.afterwards((outcome) => {
    if (outcome !== 'unused' && outcome !== 'stale') tellEmitted();
  });
}

const listeners = new Set<() => void>();

/** @param listener notified that events of this process are waiting to be published. May be notified for nothing, and rarely (a lost reply) is not notified. */
export function onEmitted(listener: () => void): { stop(): void } {
  listeners.add(listener);
  return { stop: () => listeners.delete(listener) };
}

/** Events of this process have been committed that no write set told of. */
export function tellEmitted(): void {
  for (const listener of listeners) listener();
}

/** The outbox of the database that this process is connected to, as the publisher reads it. */
export const outbox: OutboxSource = {
  async next(limit, after) {
    const records = await databaseServer().nextInQueue<OutboxRecord>(OutboxModel, after?.id ?? '', limit);
    return records.map(published);
  },
  async earlier(revisions) {
    const filters = [...revisions].map(([id, revision]) => ({
      'subject.id': id,
      revision: mongoose.trusted({ $lt: revision }),
    }));
    return (await databaseServer().findAnyOf<OutboxRecord>(OutboxModel, filters)).map(published);
  },
  async remove(events) {
    await OutboxModel.deleteMany({ _id: oneOf(events.map(({ id }) => id)) });
  },
};

function published({ _id, data, ...rest }: OutboxRecord): PublishedEvent {
  return { ...rest, id: _id, data: JSON.parse(data) };
}
