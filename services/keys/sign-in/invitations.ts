import type { listInvitations as operation } from '@worktrack/contracts/keys/invitations';
import type { Invitation } from '@worktrack/contracts/keys/records';
import type { listUsers } from '@worktrack/contracts/keys/users';
import type { Input } from '@worktrack/contracts/operation';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { InvitationDocument } from '../invitations/invitations.model.ts';
import { countUnusedInvitations, invitationsOf, unusedInvitations } from '../invitations/invitations.repository.ts';
import { activeKeysById } from '../keys/keys.repository.ts';
import { pageOfUsers, usersById } from '../users/users.repository.ts';

/** The users, with what became of the last invitation of each. */
export const listUsersInvited: Read<typeof listUsers> = async (input, context) => {
  const { users, pagination } = await pageOfUsers(context, input);
  const invitations = await invitationsOf(
    context,
    users.map(({ id }) => id),
  );
  const shown = await showing([...invitations.values()]);
  return {
    users: users.map((user) => {
      const invitation = invitations.get(user.id);
      return { ...user, invitation: invitation ? shown(invitation) : null };
    }),
    pagination,
  };
};

export const listInvitations: Read<typeof operation> = async ({ after, limit }, context) => {
  const [found, count] = await Promise.all([
    limit === 0 ? [] : unusedInvitations(context, { after: after && placeOf(after), limit: limit + 1 }),
    countUnusedInvitations(context),
  ]);
  if (found.length === 0) return { invitations: [], count };
  const [people, shown] = await Promise.all([
    usersById(found.flatMap(({ userId, invitedBy }) => [userId, invitedBy])),
    showing(found),
  ]);
  const invitations = found.flatMap((invitation) => {
    const [user, by] = [people.get(invitation.userId), people.get(invitation.invitedBy)];
    if (!user || !by) return [];
    const { id, name, email, role } = user;
    return [{ ...shown(invitation), id: invitation._id, user: { id, name, email, role }, invitedBy: by.name }];
  });
  return { invitations, count };
};

const placeOf = ({ since, id }: NonNullable<Input<typeof operation>['after']>) => ({ value: new Date(since), id });

/** An invitation ends with the key that it was made with, and while the user of that key is disabled, as its session would: that is read, not stored. */
async function showing(
  invitations: readonly InvitationDocument[],
): Promise<(invitation: InvitationDocument) => Invitation> {
  const keys = await activeKeysById([...new Set(invitations.map(({ keyId }) => keyId))]);
  const makers = await usersById([...keys.values()].map(({ userId }) => userId));
  const isGood = ({ keyId, expiresAt }: InvitationDocument) =>
    expiresAt.getTime() > Date.now() && makers.get(keys.get(keyId)?.userId ?? '')?.disabled === false;
  return (invitation) => ({
    state: invitation.state === 'used' ? 'used' : isGood(invitation) ? 'open' : 'ended',
    createdAt: invitation.createdAt.toISOString(),
    expiresAt: invitation.expiresAt.toISOString(),
  });
}
