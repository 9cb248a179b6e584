import type { EventSubject, PublishedEvent } from '@worktrack/contracts/events/event';
import { mixed, nullable, number, optional, text } from '../documents/fields.ts';

/** An event, as the outbox and the log store it. */
export const eventFields = {
  /** The event's. A UUIDv7: it puts the events of one process in the order in which they were made. */
  _id: text(),
  organizationId: text(),
  type: text<PublishedEvent['type']>(),
  at: text(),
  actor: nullable(mixed<NonNullable<PublishedEvent['actor']>>()),
  projectId: optional(text()),
  subject: mixed<EventSubject>(),
  revision: number(),
  /** As JSON: its field names are chosen by clients. */
  data: text(),
};
