import { handleOf } from '@worktrack/contracts/people/mentions';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { permissionsOfRole } from '../roles/roles.repository.ts';
import { type UserDocument, UserModel } from '../users/users.model.ts';

const BATCH = 100;

/**
 * Lets users of earlier versions be mentioned, with names as mentions write them now (handleOf). It also tells the log about these users, since notifications
 * reach only users that the log knows.
 */
export const handlesMigration: Migration = {
  name: 'users: their names as mentions write them, with one letter i and one apostrophe',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<UserDocument>(UserModel, after, BATCH);
    for (const user of batch) {
      if (user.handle !== handleOf(user.name)) await complete(user);
    }
    return batch.at(-1)?._id;
  },
};

async function complete({ _id, organizationId }: UserDocument): Promise<void> {
  await commitAlone(async ({ tx, writes }) => {
    const caller = { organizationId, userId: _id, keyId: _id };
    // As it is now: it may have been written since.
    const user = await UserModel.findOne({ organizationId, _id }, null, { session: tx }).lean();
    if (!user || user.handle === handleOf(user.name)) return;
    const { email, name, role, disabled, revision } = user;
    const permissions = await permissionsOfRole({ caller, tx }, role);
    const next = (revision ?? 0) + 1;
    writes.update(
      UserModel,
      { organizationId, _id, revision: revision ?? null },
      { set: { handle: handleOf(name), revision: next } },
    );
    const data = { changes: {}, email, name, role, permissions, projects: user.projects ?? null, disabled };
    emit(
      { caller, writes },
      { type: 'user.updated', subject: { kind: 'user', id: _id }, revision: next, data, actor: null },
    );
  });
}
