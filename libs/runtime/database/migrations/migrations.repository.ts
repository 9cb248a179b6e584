import { MigrationModel, type MigrationRecord } from './migrations.model.ts';

/** The record of a migration, created if missing. */
export async function recordOfMigration(name: string): Promise<MigrationRecord> {
  const found = await MigrationModel.findOne({ _id: name }).lean();
  if (found) return found;
  const made = { after: '', doneAt: null };
  // Replicas that start together create the same one.
  await MigrationModel.updateOne({ _id: name }, { $setOnInsert: made }, { upsert: true });
  return { _id: name, ...made };
}

/** Another replica may have got further, or finished. */
export async function noteProgress(_id: string, after: string): Promise<void> {
  await MigrationModel.updateOne({ _id, doneAt: null }, { $max: { after } });
}

export async function noteDone(_id: string): Promise<void> {
  await MigrationModel.updateOne({ _id }, { $set: { doneAt: new Date() } });
}
