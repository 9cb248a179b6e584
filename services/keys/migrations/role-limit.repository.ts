import type { RoleLimit } from '@worktrack/contracts/keys/records';
import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { type KeyDocument, KeyModel } from '../keys/keys.model.ts';
import { permissionsOfRoles } from '../roles/roles.repository.ts';
import { type TrustRuleDocument, TrustRuleModel } from '../trust-rules/trust-rules.model.ts';
import { lowest, roleLimitOf } from '../users/role-limit.ts';
import { usersById } from '../users/users.repository.ts';

const BATCH = 500;

type Made = Pick<
  KeyDocument & TrustRuleDocument,
  '_id' | 'organizationId' | 'userId' | 'createdBy' | 'permissions' | 'rotatedFrom'
>;
const FIELDS = { organizationId: 1, userId: 1, createdBy: 1, permissions: 1, rotatedFrom: 1 } as const;

function migrationOf(name: string, model: typeof KeyModel | typeof TrustRuleModel): Migration {
  return {
    name,
    isUrgent: true,
    async batch(after) {
      const batch = await nextBatch<Made>(model, after, BATCH, FIELDS);
      const limited = (await withLimits(batch)).filter(({ limit }) => limit !== undefined);
      const writes = limited.map(({ made: { _id, organizationId }, limit }) => ({
        updateOne: { filter: { organizationId, _id, roleLimit: null }, update: { $set: { roleLimit: limit } } },
      }));
      if (writes.length > 0) await (model as typeof KeyModel).bulkWrite(writes, { ordered: false });
      return batch.at(-1)?._id;
    },
  };
}

/**
 * Of what somebody made for another user, and of keys that replaced such a one. What its maker could do then is not known, but they held what they gave to it, and what they hold
 * now. So an owner whose only key another owner made with all permissions, before they went, is not locked out.
 */
async function withLimits(
  batch: readonly Made[],
): Promise<{ readonly made: Made; readonly limit: RoleLimit | undefined }[]> {
  const first = await firstMakers(batch);
  const makersOf = (made: Made) =>
    [made.createdBy, first.get(made.rotatedFrom?.id ?? '')].filter((id) => id !== undefined && id !== made.userId);
  const makers = await usersById([...new Set(batch.flatMap(makersOf) as string[])]);
  const held = await permissionsOfRoles([...makers.values()].map(({ role }) => role));
  const heldBy = (id: string | undefined) => held.get(makers.get(id ?? '')?.role ?? '') ?? [];
  const limitOf = (made: Made) =>
    lowest(...makersOf(made).map((id) => roleLimitOf([...made.permissions, ...heldBy(id)])));
  return batch.map((made) => ({ made, limit: limitOf(made) }));
}

/** Whoever made the first key of each line of rotations. */
async function firstMakers(batch: readonly Made[]): Promise<Map<string, string>> {
  const ids = batch.flatMap(({ rotatedFrom }) => rotatedFrom?.id ?? []);
  if (ids.length === 0) return new Map();
  const found = await KeyModel.find({ _id: oneOf(ids) }, { createdBy: 1 }).lean();
  return new Map(found.map(({ _id, createdBy }) => [_id, createdBy]));
}

/** Keys and rules of trust of earlier versions rise with their users; see users/role-limit.ts. */
export const roleLimitMigrations: readonly Migration[] = [
  migrationOf('keys: those that were made for another user act with no higher role than their makers', KeyModel),
  migrationOf(
    'rules of trust: those that act as another user act with no higher role than their makers',
    TrustRuleModel,
  ),
];
