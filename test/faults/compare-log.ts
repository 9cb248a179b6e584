import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Differences } from './compare.ts';
import type { Ledger } from './ledger.ts';

/**
 * Checks the events that a reader of the log received against the ledger. Each acknowledged write is there once, each subject's events in the order of its
 * revisions, and no place is missing.
 * @param reader how it followed
 */
export function compareLog(reader: string, ledger: Ledger, events: readonly LoggedEvent[], found: Differences): void {
  for (const [index, { seq }] of events.entries()) {
    const before = events[index - 1]?.seq ?? 0;
    if (seq > before + 1) found.lost.push(`${reader}: between ${before} and ${seq}`);
    if (seq <= before) found.outOfOrder.push(`${reader}: ${seq} after ${before}`);
  }
  const ids = new Set<string>();
  for (const { id, seq } of events) {
    if (ids.has(id)) found.doubled.push(`${reader}: event ${id}, again at ${seq}`);
    ids.add(id);
  }
  compareSubjects(reader, ledger, events, found);
}

/** As compareLog, for a reader that gets each subject in order, and different ones in any: an event that comes a second time is known by its id. */
export function compareSubjects(
  reader: string,
  ledger: Ledger,
  events: readonly LoggedEvent[],
  found: Differences,
): void {
  const bySubject = Map.groupBy(events, ({ subject }) => subject.id);
  for (const [subject, its] of bySubject) {
    const revisions = its.map(({ revision }) => revision);
    if (revisions.some((revision, index) => index > 0 && revision < (revisions[index - 1] ?? 0))) {
      found.outOfOrder.push(`${reader}: ${subject}: ${revisions.join(', ')}`);
    }
  }

  const once = (subjectId: string, type: string, expected: number) => {
    const seen = bySubject.get(subjectId)?.filter((event) => event.type === type).length ?? 0;
    const what = `${reader}: ${type} of ${subjectId}, ${seen} times, not ${expected}`;
    if (seen < expected) found.lost.push(what);
    if (seen > expected) found.doubled.push(what);
  };
  for (const { feedbackId } of ledger.of('submitted')) once(feedbackId, 'feedback.received', 1);
  for (const { itemId } of ledger.of('created')) {
    const completed = ledger.about('completed', itemId).length;
    once(itemId, 'work_item.created', 1);
    once(itemId, 'work_item.commented', ledger.about('commented', itemId).length);
    once(itemId, 'work_item.ai_session', completed);
    const columns = [
      ...ledger.about('moved', itemId).map(({ toColumn }) => toColumn),
      ...(completed ? ['Review'] : []),
    ];
    const moves = bySubject
      .get(itemId)
      ?.flatMap(({ type, data }) => (type === 'work_item.moved' ? [data.toColumn] : []));
    once(itemId, 'work_item.moved', columns.length);
    if (moves?.length === columns.length && JSON.stringify(moves) !== JSON.stringify(columns)) {
      found.outOfOrder.push(`${reader}: moves of ${itemId}: ${moves.join(', ')}, not ${columns.join(', ')}`);
    }
  }
}
