import type { AnyModel } from '@worktrack/runtime/database/walk-index';
import { EntryModel } from './audit/entries.model.ts';
import { LogModel } from './log/log.model.ts';

const SECONDS_PER_DAY = 86_400;
/** MongoDB server error codes (error_codes.yml). */
const INDEX_OPTIONS_CONFLICT = 85;
const EXPIRY_NAME = 'expiry';

/** The database removes events that are older. A changed setting also applies to what is already there. */
export function keepFor(days: number): Promise<void> {
  return expire(LogModel, { loggedAt: 1 }, days);
}

/** The same for entries of the audit log. */
export function keepEntriesFor(days: number): Promise<void> {
  return expire(EntryModel, { enteredAt: 1 }, days);
}

async function expire({ collection }: AnyModel, field: Record<string, 1>, days: number): Promise<void> {
  const options = { name: EXPIRY_NAME, expireAfterSeconds: days * SECONDS_PER_DAY };
  try {
    await collection.createIndex(field, options);
  } catch (error) {
    if ((error as { code?: unknown }).code !== INDEX_OPTIONS_CONFLICT) throw error;
    // `collMod` would change it in place, but needs more than the role that a service has.
    await collection.dropIndex(EXPIRY_NAME);
    await collection.createIndex(field, options);
  }
}
