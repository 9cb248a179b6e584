import { MAX_LISTED_KEYS, type createKey as operation } from '@worktrack/contracts/keys/keys';
import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { takeAccessTurn } from '../access-turn.ts';
import { projectsWithin } from '../projects-within.ts';
import { requireRoleOfOther } from '../users/role-within.ts';
import { userById } from '../users/users.repository.ts';
import { limitsOfCaller } from './key-of-caller.ts';
import { countActiveKeys, insertKey, rateOf } from './keys.repository.ts';
import type { KeyMint } from './mint.ts';
import { rateWithin } from './rate-within.ts';
import { roleLimitOfMade } from './role-limit-of-made.ts';

/** One answer lists them all. */
export const MAX_ACTIVE_KEYS_PER_ORGANIZATION = MAX_LISTED_KEYS;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Context = WriteContext<FailureOf<typeof operation>>;

/** Nobody can give away more than they hold: the new key's permissions are among its creator's, its rate is no higher, and it expires no later. */
export async function createKey(
  mint: KeyMint,
  input: Input<typeof operation>,
  context: Context,
): Promise<CreatedApiKey> {
  const { caller } = context;
  const permissions = grantable(input.permissions ?? caller.permissions, context);
  const userId = await actingUser(input.userId ?? caller.userId, context);
  await requireRoomForKey(context);
  const now = await takeAccessTurn(context);
  const maker = await limitsOfCaller(context);
  const { key, ...secret } = mint.make();
  const record = await insertKey(context, {
    ...secret,
    name: input.name,
    permissions,
    projects: projectsWithin(context, input.projects),
    rateLimit: rateWithin(rateOf(maker), input.rateLimit, context),
    userId,
    roleLimit: roleLimitOfMade(now, caller, userId),
    createdBy: caller.userId,
    expiresAt: expiryWithin(maker.expiresAt, input.expiresInDays, context),
  });
  return { ...record, key };
}

export async function requireRoomForKey(context: Context): Promise<void> {
  if ((await countActiveKeys(context)) < MAX_ACTIVE_KEYS_PER_ORGANIZATION) return;
  throw context.fail(
    'CONFLICT',
    `The organization has ${MAX_ACTIVE_KEYS_PER_ORGANIZATION} active keys, which is the limit. Revoke some that are no longer used.`,
    { reason: 'limit' },
  );
}

/** @returns them in their order, once */
export function grantable(wanted: readonly Permission[], { caller, fail }: Context): Permission[] {
  const beyond = wanted.find((permission) => !caller.permissions.includes(permission));
  if (beyond) {
    throw fail('PERMISSION_DENIED', `Your key does not have ${beyond}, so it cannot give it to another.`, {
      reason: 'beyond_own',
    });
  }
  return PERMISSIONS.filter((permission) => wanted.includes(permission));
}

/**
 * @param makerEndsAt when the requesting key expires
 * @param days counted whole, so the last of them may be cut short by the creator's own expiry
 */
function expiryWithin(makerEndsAt: Date | null, days: number | undefined, { fail }: Context): Date | null {
  if (days === undefined) return makerEndsAt;
  const endsAt = new Date(Date.now() + days * DAY_MS);
  if (!makerEndsAt || endsAt <= makerEndsAt) return endsAt;
  if (endsAt.getTime() - makerEndsAt.getTime() < DAY_MS) return makerEndsAt;
  throw fail(
    'PERMISSION_DENIED',
    `Your key expires at ${makerEndsAt.toISOString()}, and the keys that it creates cannot last longer. Leave \`expiresInDays\` out, or use a key that lasts longer.`,
    { details: [{ path: 'expiresInDays', message: `must end by ${makerEndsAt.toISOString()}` }] },
  );
}

/** The user that a key, or what a key makes, acts as. */
export async function actingUser(userId: string, context: Context): Promise<string> {
  const { caller, fail } = context;
  if (userId !== caller.userId && !caller.permissions.includes('users:write')) {
    throw fail('PERMISSION_DENIED', 'Acting as another user requires users:write. Leave `userId` out.');
  }
  // There are no others to it, as it cannot list them.
  if (userId !== caller.userId && caller.projects) {
    throw fail(
      'PERMISSION_DENIED',
      'Your key is limited to projects, so it cannot act as another user. Leave `userId` out.',
      {
        details: [{ path: 'userId', message: 'your key is limited to projects' }],
      },
    );
  }
  const user = await userById(context, userId);
  if (!user) throw fail('NOT_FOUND', `There is no user ${userId} in your organization. GET /api/users lists them.`);
  if (userId !== caller.userId) await requireRoleOfOther(context, user, 'userId');
  if (user.disabled)
    throw fail('CONFLICT', `${user.email} is disabled. Enable the user before you create anything that acts as them.`, {
      reason: 'user_disabled',
    });
  return userId;
}
