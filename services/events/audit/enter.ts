import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { chain, endOf, entered, insertEntries, markUnsigned, type NewEntry } from './entries.repository.ts';
import { eraseKnown } from './erase.repository.ts';

/** How often others may enter something between our look at the end and our entry. */
const MAX_TRIES = 20;

/**
 * Gives each entry the next place in its organization's audit log, unless it has one.
 *
 * Without a transaction, as the log of events: the unique index on the place lets one writer pass, and whoever is refused looks again at what
 * is there. Entries are stored in the order of their places, so there is never a gap, and each hash is over what is really before it.
 */
export async function enter(entries: readonly NewEntry[]): Promise<void> {
  for (const [organizationId, own] of Map.groupBy(entries, (entry) => entry.organizationId)) {
    await enterInto(organizationId, own);
    await eraseKnown(organizationId, own);
  }
}

async function enterInto(organizationId: string, entries: readonly NewEntry[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    const there = await entered(entries.map(({ id }) => id));
    const seen = new Set(there);
    const left = entries.filter(({ id }) => !seen.has(id) && seen.add(id));
    // Always: whoever entered them may have died before it was marked.
    await markUnsigned(organizationId);
    if (left.length === 0) return;
    try {
      await insertEntries(chain(await endOf(organizationId), left));
      return;
    } catch (error) {
      if (!isDuplicateKey(error) || tries === MAX_TRIES) throw error;
    }
  }
}
