import type { AuditDraft } from '@worktrack/contracts/audit/entry';
import { AUDIT_ENTRY, type PublishedEvent } from '@worktrack/contracts/events/event';
import { OutboxModel } from '@worktrack/runtime/database/outbox/outbox.model';

/** The events that the service of a test has to publish for an organization, in the order in which they happened. Nobody publishes them there. */
export async function outboxOf(organizationId: string): Promise<PublishedEvent[]> {
  const records = await OutboxModel.find({ organizationId }).sort({ _id: 1 }).lean();
  const events = records.filter(({ type }) => type !== AUDIT_ENTRY);
  return events.map(({ _id, data, ...event }) => ({ ...event, id: _id, data: JSON.parse(data) }));
}

/** What it has to tell the audit log about an organization, in the order in which it happened. */
export async function auditedOf(organizationId: string): Promise<Omit<AuditDraft, 'id' | 'at'>[]> {
  const records = await OutboxModel.find({ organizationId, type: AUDIT_ENTRY }).sort({ _id: 1 }).lean();
  return records.map(({ data }) => JSON.parse(data));
}

/** What `act` adds to it. */
export async function toldBy(organizationId: string, act: () => Promise<unknown>): Promise<PublishedEvent[]> {
  const before = new Set((await outboxOf(organizationId)).map(({ id }) => id));
  await act();
  return (await outboxOf(organizationId)).filter(({ id }) => !before.has(id));
}

/** As outboxOf, leaving nothing of it. */
export async function takeOutbox(organizationId: string): Promise<PublishedEvent[]> {
  const events = await outboxOf(organizationId);
  await OutboxModel.deleteMany({ organizationId });
  return events;
}
