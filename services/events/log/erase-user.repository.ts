import { headOf } from './heads.repository.ts';
import { LogModel } from './log.model.ts';
import { between, oldestOf } from './places.repository.ts';

const TYPES_WITH_NAMES = ['user.created', 'user.updated'] as const;
const ERASED_PLACES = 2_000;

/** Drops what events say about who a user is: name and address. A rare call, so it walks the log rather than having an index kept up for it. */
export async function eraseUserFromLog(organizationId: string, userId: string): Promise<void> {
  const oldest = await oldestOf(organizationId);
  const head = await headOf(organizationId);
  for (let after = (oldest ?? head + 1) - 1; after < head; after += ERASED_PLACES) {
    const upTo = Math.min(head, after + ERASED_PLACES);
    const filter = { types: TYPES_WITH_NAMES, workItemId: userId };
    for (const { id, data } of await between(organizationId, { after, upTo }, filter, ERASED_PLACES)) {
      const { name: _, email: __, changes, ...rest } = data;
      const { name: ___, email: ____, ...others } = (changes ?? {}) as Record<string, unknown>;
      const erased = JSON.stringify({ ...rest, ...(changes !== undefined && { changes: others }) });
      await LogModel.updateOne({ organizationId, _id: id }, { $set: { data: erased } });
    }
  }
}
