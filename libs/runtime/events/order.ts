import type { PublishedEvent } from '@worktrack/contracts/events/event';

/**
 * Puts events in the order of their making (of their ids), but those of one subject in the order of its revisions: the clocks of the processes that
 * made them differ. Those of one revision were made by one write, in the order of their ids.
 */
export function inOrderOfRevisions(events: readonly PublishedEvent[]): PublishedEvent[] {
  const byId = events.toSorted((a, b) => compare(a.id, b.id));
  const bySubject = Map.groupBy(byId, ({ subject }) => subject.id);
  for (const [id, its] of bySubject) {
    // Stable.
    bySubject.set(
      id,
      its.toSorted((a, b) => a.revision - b.revision),
    );
  }
  const taken = new Map<string, number>();
  return byId.map(({ subject }) => {
    const at = taken.get(subject.id) ?? 0;
    taken.set(subject.id, at + 1);
    return bySubject.get(subject.id)?.[at] as PublishedEvent;
  });
}

/** Of each subject the highest revision that is there. */
export function highestRevisions(events: readonly PublishedEvent[]): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  for (const { subject, revision } of events) {
    highest.set(subject.id, Math.max(revision, highest.get(subject.id) ?? revision));
  }
  return highest;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
