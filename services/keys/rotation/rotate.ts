import type { rotateKey as operation, rotateOwnKey as ownOperation } from '@worktrack/contracts/keys/keys';
import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import { audited } from '@worktrack/runtime/database/outbox/audited';
import { takeAccessTurn, takeTurnUnchecked } from '../access-turn.ts';
import { moveInvitations } from '../invitations/invitations.repository.ts';
import { requireRoomForKey } from '../keys/create.ts';
import { keyOfCaller, limitsOfCaller } from '../keys/key-of-caller.ts';
import type { KeyDocument } from '../keys/keys.model.ts';
import { countKeysOfLine, insertKey, isActiveKey, keyById, markReplaced, rateOf } from '../keys/keys.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { rateWithin } from '../keys/rate-within.ts';
import { roleLimitOfMade } from '../keys/role-limit-of-made.ts';
import { moveSessions } from '../sessions/sessions.repository.ts';
import { moveCodes } from '../sign-in/codes.repository.ts';
import { requireProjectsOf } from '../users/all-held-of.ts';
import { lowest } from '../users/role-limit.ts';
import { requireRoleOfOther } from '../users/role-within.ts';
import { userById } from '../users/users.repository.ts';

/**
 * The keys of a line that still work, since their overlaps go on, or that were made within a day. A key's holder may replace it, and its successor, without any
 * permission. That must neither use up the organization's maximum, nor leave it with more keys than can be counted.
 */
const MAX_KEYS_PER_LINE = 50;
const DAY_MS = 24 * 60 * 60_000;

type Context = WriteContext<FailureOf<typeof operation>>;

/** Replaces another key, or the caller's own. Its other half, evicting the old key and its sessions from the gateways' cache, follows once this is committed. */
export async function rotateKey(
  mint: KeyMint,
  { id, overlapSeconds }: Input<typeof operation>,
  context: Context,
): Promise<CreatedApiKey> {
  const { caller, fail } = context;
  const own = await keyOfCaller(context);
  const isOwn = own?._id === id;
  // To a limited caller there is no other key.
  const key = isOwn ? own : caller.projects ? undefined : await keyById(context, id);
  if (!key || !isActiveKey(key)) {
    throw fail('NOT_FOUND', `There is no active API key ${id} in your organization. GET /api/api-keys lists them.`);
  }
  // A session may hold less than the key that it belongs to.
  if (caller.keyId !== id) {
    await requireProjectsOf(context, key, 'rotate');
    await requireAllOf(key, own ?? (await limitsOfCaller(context)), context);
  }
  return replace(mint, key, overlapSeconds, context);
}

/** Whoever holds a key may replace it. */
export async function rotateOwnKey(
  mint: KeyMint,
  { overlapSeconds }: Input<typeof ownOperation>,
  context: Context,
): Promise<CreatedApiKey> {
  const { caller, fail } = context;
  const key = await keyById(context, caller.keyId);
  if (!key) {
    throw fail(
      'PERMISSION_DENIED',
      'A session of the console, or a token, has no key of its own to rotate. Name the key: POST /api/api-keys/:id/rotate.',
    );
  }
  // It was active when the call was authenticated.
  if (!isActiveKey(key)) throw fail('NOT_FOUND', 'The key has ended.');
  return replace(mint, key, overlapSeconds, context);
}

async function replace(
  mint: KeyMint,
  key: KeyDocument,
  overlapSeconds: number,
  context: Context,
): Promise<CreatedApiKey> {
  const { caller, fail } = context;
  if (key.replacedBy) {
    throw fail('CONFLICT', `This key has been replaced by ${key.replacedBy} already. Rotate that one.`);
  }
  await requireRoomForKey(context);
  const line = key.rotatedFrom ?? { id: key._id, prefix: key.prefix };
  if ((await countKeysOfLine(context, key.userId, line.id, DAY_MS)) >= MAX_KEYS_PER_LINE) {
    throw fail(
      'CONFLICT',
      `Of the keys that replaced each other, ${MAX_KEYS_PER_LINE} still work or are less than a day old, which is the limit. Rotate less often or with a shorter overlap, or create a new key.`,
      { reason: 'limit' },
    );
  }
  // What replaces the caller's own key can do no more than that could, whatever its user may do by now.
  const isOwn = key._id === caller.keyId;
  const now = isOwn ? undefined : await takeAccessTurn(context);
  if (isOwn) await takeTurnUnchecked(context);
  // With sign-ins: otherwise a session that is opened meanwhile would stay with the old key.
  await oneAtATime(context, `sessions of ${key._id}`);
  const { key: value, ...secret } = mint.make();
  const { name, permissions, projects, userId, expiresAt, _id } = key;
  const record = await insertKey(context, {
    ...secret,
    ...{ name, permissions, projects: projects ?? null, userId, expiresAt },
    rateLimit: rateOf(key),
    roleLimit: isOwn ? key.roleLimit : lowest(key.roleLimit, roleLimitOfMade(now, caller, userId)),
    createdBy: caller.userId,
    rotatedFrom: line,
  });
  const overlapEndsAt = new Date(Date.now() + overlapSeconds * 1_000);
  const endsAt = expiresAt && expiresAt < overlapEndsAt ? expiresAt : overlapEndsAt;
  await markReplaced(context, key, record.id, endsAt);
  await moveSessions(context, _id, record.id);
  await moveCodes(context, _id, record.id);
  await moveInvitations(context, _id, record.id);
  audited(context.writes, { targets: [record.id, _id].map((id) => ({ type: 'key', id, name })) });
  return { ...record, key: value };
}

/** The answer is a key with all of this: nobody gets more than they hold. */
async function requireAllOf(
  key: KeyDocument,
  own: Pick<KeyDocument, 'expiresAt' | 'rateLimit'>,
  context: Context,
): Promise<void> {
  const { caller, fail } = context;
  const beyond = key.permissions.filter((permission) => !caller.permissions.includes(permission));
  if (beyond.length > 0) {
    const needed = beyond.join(', ');
    throw fail('PERMISSION_DENIED', `The key has ${needed}, which yours does not have, so yours cannot rotate it.`, {
      details: [{ path: 'id', message: `needs ${needed}` }],
    });
  }
  if (key.userId !== caller.userId && !caller.permissions.includes('users:write')) {
    throw fail('PERMISSION_DENIED', 'Rotating the key of another user requires users:write.', {
      details: [{ path: 'id', message: 'needs users:write' }],
    });
  }
  const user = key.userId === caller.userId ? undefined : await userById(context, key.userId);
  if (user) await requireRoleOfOther(context, user, 'key');
  if (own.expiresAt && (!key.expiresAt || key.expiresAt > own.expiresAt)) {
    throw fail(
      'PERMISSION_DENIED',
      `Your key expires at ${own.expiresAt.toISOString()}, before this one, so yours cannot rotate it.`,
      { details: [{ path: 'id', message: 'expires later than your key' }] },
    );
  }
  rateWithin(rateOf(own), rateOf(key), context);
}
