import { PERMISSIONS } from '@worktrack/contracts/permissions';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { type KeyDocument, KeyModel } from '../keys/keys.model.ts';
import { type SessionDocument, SessionModel } from '../sessions/sessions.model.ts';

const BATCH = 500;
const EARLIER = PERMISSIONS.filter((permission) => permission !== 'audit:read');

type Holder = Pick<KeyDocument | SessionDocument, '_id' | 'organizationId' | 'permissions'>;

function migrationOf(name: string, model: typeof KeyModel | typeof SessionModel): Migration {
  return {
    name,
    isUrgent: true,
    async batch(after) {
      const batch = await nextBatch<Holder>(model, after, BATCH, { organizationId: 1, permissions: 1 });
      const whole = batch.filter(({ permissions }) => EARLIER.every((each) => permissions.includes(each)));
      const writes = whole.map(({ _id, organizationId }) => ({
        updateOne: { filter: { organizationId, _id }, update: { $set: { permissions: [...PERMISSIONS] } } },
      }));
      if (writes.length > 0) await (model as typeof KeyModel).bulkWrite(writes, { ordered: false });
      return batch.at(-1)?._id;
    },
  };
}

/**
 * What held all permissions keeps all: an owner's key of an earlier version could otherwise not manage owners any more, since nobody gives or
 * changes more than they hold. Its user's role decides what comes of it.
 */
export const auditPermissionMigrations: readonly Migration[] = [
  migrationOf('keys: those with all permissions may read the audit log', KeyModel),
  migrationOf('sessions: those with all permissions may read the audit log', SessionModel),
];
