import { z } from 'zod';
import { ids, times } from '../examples.ts';
import { Id, MAX_PAGE_SIZE, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { INVITATION_DAYS, Invitation, RoleValue } from './records.ts';

/** How long it is listed that one has ended without having been used. */
export const LISTED_DAYS_AFTER_ITS_END = 7;

/** Why the link of an invitation signs nobody in any more. */
export type InvitationEnd = 'used' | 'expired' | 'replaced' | 'withdrawn';

// Not an option of `sessions.createCode`, which anybody may call: this is for whoever manages users, and there is one of each user, which can be withdrawn.
const common = { permissions: ['users:write'], ofOrganization: true, audit: 'user' } as const;

/** The step of the gateway's `users.invite` that makes the code; its entry in the audit log has the same name. Neither a route nor a tool. */
export const makeInvitation = operation({
  ...common,
  name: 'users.invite',
  summary: `Make a code that signs a user in once, within ${INVITATION_DAYS} days, in place of the one before.`,
  effect: 'create',
  input: z.strictObject({ userId: Id }),
  output: z.object({
    invitationId: RecordId,
    userId: RecordId,
    /** `null` in a replay. */
    code: z.string().nullable(),
    email: z.string(),
    expiresAt: Timestamp,
  }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
});

export const withdrawInvitation = operation({
  ...common,
  name: 'users.withdrawInvitation',
  summary: 'Withdraw the invitation of a user: from the moment this returns, its link signs nobody in.',
  effect: 'delete',
  input: z.strictObject({ userId: Id }),
  output: z.object({ userId: RecordId, withdrawnAt: Timestamp }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND'],
  example: { input: { userId: ids.user }, output: { userId: ids.user, withdrawnAt: times.updatedAt } },
  rest: 'DELETE /api/users/:userId/invitation',
});

/** The part of `forYou.list` that is about users. Neither a route nor a tool. */
export const listInvitations = operation({
  name: 'users.invitations',
  summary: 'List the invitations that nobody has used, oldest first.',
  permissions: ['users:write'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({
    after: z.strictObject({ since: z.iso.datetime(), id: Id }).optional(),
    limit: z.int().min(0).max(MAX_PAGE_SIZE),
  }),
  output: z.object({
    /** One more than `limit` if there are more. */
    invitations: z.array(
      Invitation.extend({
        id: RecordId,
        user: z.object({ id: RecordId, name: z.string(), email: z.string(), role: RoleValue }),
        invitedBy: z.string(),
      }),
    ),
    /** All, up to MAX_COUNTED. */
    count: z.int(),
  }),
  errors: [],
});
