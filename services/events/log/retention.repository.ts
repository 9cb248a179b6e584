import { LogModel } from './log.model.ts';

const SECONDS_PER_DAY = 86_400;
/** Of MongoDB's servers (error_codes.yml). */
const INDEX_OPTIONS_CONFLICT = 85;
const EXPIRY = { loggedAt: 1 } as const;
const EXPIRY_NAME = 'expiry';

/** The database removes what is older. With another number than before, of what is there too. */
export async function keepFor(days: number): Promise<void> {
  const expireAfterSeconds = days * SECONDS_PER_DAY;
  try {
    await LogModel.collection.createIndex(EXPIRY, { name: EXPIRY_NAME, expireAfterSeconds });
  } catch (error) {
    if ((error as { code?: unknown }).code !== INDEX_OPTIONS_CONFLICT) throw error;
    // `collMod` would change it in place, and needs more than the role that a service has.
    await LogModel.collection.dropIndex(EXPIRY_NAME);
    await LogModel.collection.createIndex(EXPIRY, { name: EXPIRY_NAME, expireAfterSeconds });
  }
}
