import { MigrationModel, type MigrationRecord } from './migrations.model.ts';

/** The record of a migration, created if missing. */
export async function recordOfMigration(name: string): Promise<MigrationRecord> {
  const found = await MigrationModel.findOne({ _id: name }).lean();
  if (found) return found;
  const made = { passes: 0, after: '', passEndedAt: null };
  // Replicas that start together create the same one.
  await MigrationModel.updateOne({ _id: name }, { $setOnInsert: made }, { upsert: true });
  return { _id: name, ...made };
}

/** Another replica may have got further, or finished the pass. */
export async function noteProgress({ _id, passes }: MigrationRecord, after: string): Promise<void> {
  await MigrationModel.updateOne({ _id, passes }, { $max: { after } });
}

export async function notePass({ _id, passes }: MigrationRecord): Promise<void> {
  await MigrationModel.updateOne({ _id, passes }, { $set: { passes: passes + 1, after: '', passEndedAt: new Date() } });
}
