import { OperationError } from '@worktrack/contracts/errors';
import type { mailInvitation } from '@worktrack/contracts/events/invitations';
import type { inviteUser as operation } from '@worktrack/contracts/gateway/invite';
import type { makeInvitation } from '@worktrack/contracts/keys/invitations';
import type { Output } from '@worktrack/contracts/operation';
import type { Composition } from './composition.ts';

/**
 * The keys service makes the code, and the events service mails it. The answer has the code whether or not that works, so a mail that is never read is no dead
 * end. It gives nothing away: who may invite the user may also sign them in by a login code.
 */
export const inviteUser: Composition<typeof operation> = async (
  { userId, language },
  { identity, clients, options },
) => {
  const { output, replayed } = await clients.keys.exchange('users.invite', { userId }, options);
  const { invitationId: id, email, code, expiresAt } = output;
  if (code === null) return { output: shown(output, null), replayed };
  const [inviter, organization] = [identity.user.name, identity.organization.name];
  const mail = await clients.events
    .call('invitations.mail', { id, to: email, code, expiresAt, inviter, organization, language }, options)
    .then(({ mail }: Output<typeof mailInvitation>) => mail)
    .catch((error: unknown) => {
      if (error instanceof OperationError) return 'failed' as const;
      throw error;
    });
  return { output: shown(output, mail), replayed };
};

const shown = (
  { userId, code, expiresAt }: Output<typeof makeInvitation>,
  mail: Output<typeof operation>['mail'],
): Output<typeof operation> => ({ userId, code, expiresAt, mail });
