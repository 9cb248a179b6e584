import type { AuditEntry } from '@worktrack/contracts/audit/entry';
import { commitmentTo, replaced } from '@worktrack/runtime/audit/chain';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { EntryModel, type EntryRecord } from './entries.model.ts';
import { type NewEntry, newestEntries } from './entries.repository.ts';
import { ErasedUserModel } from './erased.model.ts';

const ERASED_AT_ONCE = 200;

/**
 * Drops a user's name and addresses; each is replaced by what the hash of its entry commits to, so that the chain stays whole. Known before the
 * entries are looked through: whatever is entered meanwhile, or later, is seen here or by `eraseKnown`.
 */
export async function eraseUserFromEntries(organizationId: string, userId: string): Promise<void> {
  await ErasedUserModel.updateOne(
    { organizationId, _id: idOf(organizationId, userId) },
    { $setOnInsert: { userId } },
    { upsert: true },
  );
  for (const filter of [{ actor: userId }, { target: userId }]) {
    let after: { value: Date; id: string } | undefined;
    for (;;) {
      const page = await newestEntries(organizationId, filter, { after, limit: ERASED_AT_ONCE });
      for (const record of page) await eraseFrom(record, userId);
      const last = page.at(-1);
      if (!last) break;
      after = { value: last.enteredAt, id: last._id };
    }
  }
}

/** The same in what has just been entered: a refusal is entered when its minute has ended, and what a busy service publishes may come later still. */
export async function eraseKnown(organizationId: string, entries: readonly NewEntry[]): Promise<void> {
  const people = entries.flatMap(({ actor, targets }) => [
    ...(actor.userId === null ? [] : [actor.userId]),
    ...targets.flatMap(({ type, id }) => (type === 'user' ? [id] : [])),
  ]);
  const ids = [...new Set(people)].map((userId) => idOf(organizationId, userId));
  const erased = await ErasedUserModel.find({ organizationId, _id: oneOf(ids) }).lean();
  for (const { userId } of erased) {
    const entered = entries.map(({ id }) => id);
    // Read anew for each: one entry may be about two of them.
    const records = await EntryModel.find({ organizationId, _id: oneOf(entered) }).lean();
    for (const record of records) await eraseFrom(record, userId);
  }
}

const idOf = (organizationId: string, userId: string) => `${organizationId} ${userId}`;

async function eraseFrom(record: EntryRecord, userId: string): Promise<void> {
  const { organizationId, _id } = record;
  for (let data: string | undefined = record.data; data !== undefined; ) {
    const erased = withoutUser(data, userId);
    if (erased === undefined) return;
    const { matchedCount } = await EntryModel.updateOne({ organizationId, _id, data }, { $set: { data: erased } });
    if (matchedCount > 0) return;
    // Another one of its users was erased meanwhile, and must not come back.
    data = (await EntryModel.findOne({ organizationId, _id }).lean())?.data;
  }
}

/** @returns the entry as JSON; undefined if it says nothing of the user */
function withoutUser(data: string, userId: string): string | undefined {
  const entry = JSON.parse(data) as Omit<AuditEntry, 'hash'>;
  const isActor = entry.actor.userId === userId;
  const isTarget = entry.targets.some((target) => target.id === userId);
  const isPersonal = (path: string) =>
    (isActor && /^(?:actor|context)\./.test(path)) ||
    (isTarget && path.startsWith('changes.')) ||
    entry.targets.some((target, index) => target.id === userId && path === `targets.${index}.name`);
  const paths = Object.keys(entry.salts).filter(isPersonal);
  if (paths.length === 0) return undefined;
  let erased: Record<string, unknown> = { ...entry };
  for (const path of paths) {
    const salt = entry.salts[path] as string;
    erased = replaced(erased, path.split('.'), (value) => commitmentTo(value, salt)) as Record<string, unknown>;
  }
  erased.salts = Object.fromEntries(Object.entries(entry.salts).filter(([path]) => !paths.includes(path)));
  return JSON.stringify(erased);
}
