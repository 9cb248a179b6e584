import { LogModel } from './log.model.ts';

const SECONDS_PER_DAY = 86_400;
/** MongoDB server error codes (error_codes.yml). */
const INDEX_OPTIONS_CONFLICT = 85;
const EXPIRY = { loggedAt: 1 } as const;
const EXPIRY_NAME = 'expiry';

/** The database removes what is older. A changed setting also applies to what is already there. */
export async function keepFor(days: number): Promise<void> {
  const expireAfterSeconds = days * SECONDS_PER_DAY;
  try {
    await LogModel.collection.createIndex(EXPIRY, { name: EXPIRY_NAME, expireAfterSeconds });
  } catch (error) {
    if ((error as { code?: unknown }).code !== INDEX_OPTIONS_CONFLICT) throw error;
    // `collMod` would change it in place, but needs more than the role that a service has.
    await LogModel.collection.dropIndex(EXPIRY_NAME);
    await LogModel.collection.createIndex(EXPIRY, { name: EXPIRY_NAME, expireAfterSeconds });
  }
}
