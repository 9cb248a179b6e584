import type { PublishedEvent } from '@worktrack/contracts/events/event';
import { LRUCache } from 'lru-cache';

/**
 * Puts events in the order in which they were made (by id), but those about one subject in the order of its revisions, because the clocks of their makers
 * differ. Events of one revision come from one write, and stay in the order of their ids.
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

/** For a subject just created: nothing comes before it. */
const FIRST_REVISION = 1;

/** How many subjects are remembered; the database is asked again about one that is not. */
const MAX_SUBJECTS = 20_000;

/** Up to which revision the events about subjects are published: what was stored before need not be looked for again. */
export class PublishedRevisions {
  readonly #highest = new LRUCache<string, number>({ max: MAX_SUBJECTS });

  /**
   * The subjects for which there may be earlier events than those seen, by id, with the highest revision seen. Not one whose
   * events continue where the last ones ended, or start with its first.
   */
  openIn(seen: readonly PublishedEvent[]): ReadonlyMap<string, number> {
    const open = new Map<string, number>();
    for (const [id, events] of Map.groupBy(seen, ({ subject }) => subject.id)) {
      let last = this.#highest.get(id) ?? FIRST_REVISION - 1;
      for (const { revision } of events.toSorted((a, b) => a.revision - b.revision)) {
        if (revision > last + 1) open.set(id, revision);
        last = Math.max(last, revision);
      }
    }
    return open;
  }

  published(events: readonly PublishedEvent[]): void {
    for (const { subject, revision } of events) {
      this.#highest.set(subject.id, Math.max(revision, this.#highest.get(subject.id) ?? revision));
    }
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
