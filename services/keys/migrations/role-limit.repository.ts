import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { type KeyDocument, KeyModel } from '../keys/keys.model.ts';
import { permissionsOfRoles } from '../roles/roles.repository.ts';
import { roleLimitOf } from '../users/role-limit.ts';
import { usersById } from '../users/users.repository.ts';

const BATCH = 500;

type Made = Pick<KeyDocument, '_id' | 'organizationId' | 'userId' | 'createdBy' | 'permissions'>;
const FIELDS = { organizationId: 1, userId: 1, createdBy: 1, permissions: 1 } as const;

/**
 * Keys of 0.1 rise with their users; see users/role-limit.ts. What the maker of one for another user could do then is not known, but they held what they gave to it, and
 * what they hold now. So an owner whose only key another owner made with all permissions, before they went, is not locked out.
 */
export const roleLimitMigration: Migration = {
  name: 'keys: those that were made for another user act with no higher role than their makers',
  isUrgent: true,
  async batch(after) {
    const batch = await nextBatch<Made>(KeyModel, after, BATCH, FIELDS);
    const forOthers = batch.filter(({ userId, createdBy }) => createdBy !== userId);
    const makers = await usersById([...new Set(forOthers.map(({ createdBy }) => createdBy))]);
    const held = await permissionsOfRoles([...makers.values()].map(({ role }) => role));
    const writes = forOthers.flatMap(({ _id, organizationId, createdBy, permissions }) => {
      const limit = roleLimitOf([...permissions, ...(held.get(makers.get(createdBy)?.role ?? '') ?? [])]);
      if (limit === undefined) return [];
      return {
        updateOne: { filter: { organizationId, _id, roleLimit: null }, update: { $set: { roleLimit: limit } } },
      };
    });
    if (writes.length > 0) await KeyModel.bulkWrite(writes, { ordered: false });
    return batch.at(-1)?._id;
  },
};
