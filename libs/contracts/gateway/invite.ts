import { z } from 'zod';
import { ids, times } from '../examples.ts';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { INVITATION_DAYS } from '../keys/records.ts';
import { operation } from '../operation.ts';
import { LANGUAGES } from '../people/languages.ts';

export const inviteUser = operation({
  name: 'users.invite',
  summary: `Invite a user: mail them a link that signs them in to the console once, within ${INVITATION_DAYS} days. Its code is in this response, too, and never again: the link is /console/#code=<code>. It replaces the user's earlier invitation. You need every permission of the user's role.`,
  permissions: ['users:write'],
  ofOrganization: true,
  audit: 'user',
  effect: 'create',
  input: z.strictObject({
    userId: Id,
    /** Of the mail. */
    language: z.enum(LANGUAGES).default('en'),
  }),
  output: z.object({
    userId: RecordId,
    /** `null` in a replay: the code is stored nowhere. */
    code: z.string().nullable(),
    expiresAt: Timestamp,
    /** Whether the user was mailed. `failed`: the mail server did not take it. `off`: this installation sends no mail. `null` in a replay. */
    mail: z.enum(['sent', 'failed', 'off']).nullable(),
  }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
  example: {
    input: { userId: ids.user, language: 'de' },
    output: {
      ...{ userId: ids.user, code: `wtc_5kD8rTq1${'…'}` },
      ...{ expiresAt: times.invitationExpiresAt, mail: 'sent' },
    },
  },
  // A mail server may take long.
  lane: 'long',
  rest: 'POST /api/users/:userId/invitation',
});
