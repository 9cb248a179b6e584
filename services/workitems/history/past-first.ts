import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { OutboxSource } from '@worktrack/runtime/events/outbox-publisher';
import { LRUCache } from 'lru-cache';
import { tellPastOf } from './past.repository.ts';

/** Of how many items to remember that their history has been reported, so that it is not read again for each of their events. */
const MAX_REMEMBERED = 10_000;

/**
 * The outbox, while there may be history records that the log has not been told of: an item's come before what happened to it since. An item that the
 * migration (migrations/log.repository.ts) has not reached yet is reported when its first new event is about to be published.
 */
export class PastFirst implements OutboxSource {
  readonly #outbox: OutboxSource;
  readonly #told = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  /** For the subjects of the last batch. */
  #organizations: ReadonlyMap<string, string> = new Map();
  #isOver = false;

  constructor(outbox: OutboxSource) {
    this.#outbox = outbox;
  }

  /** Nothing of the past is left to be reported. */
  end(): void {
    this.#isOver = true;
    this.#told.clear();
  }

  async next(limit: number, after: PublishedEvent | undefined): Promise<readonly PublishedEvent[]> {
    const events = await this.#outbox.next(limit, after);
    const ofItems = events.filter(({ subject }) => subject.kind === 'work_item');
    this.#organizations = new Map(ofItems.map(({ subject, organizationId }) => [subject.id, organizationId]));
    return events;
  }

  /** What is reported here is in the outbox before that is read. */
  async earlier(revisions: ReadonlyMap<string, number>): Promise<readonly PublishedEvent[]> {
    if (!this.#isOver) await this.#tell();
    return this.#outbox.earlier(revisions);
  }

  remove(events: readonly PublishedEvent[]): Promise<void> {
    return this.#outbox.remove(events);
  }

  async #tell(): Promise<void> {
    const untold = [...this.#organizations].filter(([id]) => !this.#told.has(id));
    for (const [organizationId, subjects] of Map.groupBy(untold, ([, organizationId]) => organizationId)) {
      const workItemIds = subjects.map(([id]) => id);
      while (!(await tellPastOf(organizationId, workItemIds)));
      for (const id of workItemIds) this.#told.set(id, true);
    }
  }
}
