import type { AuditDraft } from '@worktrack/contracts/audit/entry';
import { AUDIT_ENTRY, type PublishedEvent, type PublishedLogEvent } from '@worktrack/contracts/events/event';
import { enter } from './audit/enter.ts';
import { noteErasure } from './erasures/erasures.repository.ts';
import { takeIn } from './log/intake.ts';
import { notify } from './notifications/notify.ts';

/** What services publish: events into the log, entries into the audit log. Both may come twice. Whom to erase is noted here: `eraseNoted` does it. */
export async function takeAll(published: readonly PublishedEvent[], tell: Parameters<typeof takeIn>[1]): Promise<void> {
  const events = published.filter((each): each is PublishedLogEvent => each.type !== AUDIT_ENTRY);
  // First: whoever hears of an event finds what they are told of it.
  await notify(events);
  await takeIn(events, tell);
  await enter(published.filter(({ type }) => type === AUDIT_ENTRY).map(entryIn));
  for (const { type, organizationId, subject } of events) {
    if (type === 'user.erased') await noteErasure(organizationId, subject.id);
  }
}

function entryIn({ id, at, organizationId, data }: PublishedEvent) {
  return { organizationId, ...(data as Omit<AuditDraft, 'id' | 'at'>), id, at };
}
