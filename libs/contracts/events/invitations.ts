import { z } from 'zod';
import { Id, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { LANGUAGES } from '../people/languages.ts';

/** The step of `users.invite` that mails the link. The gateway knows who invites and whom. Neither a route nor a tool. */
export const mailInvitation = operation({
  name: 'invitations.mail',
  summary: 'Mail an invitation.',
  permissions: ['users:write'],
  effect: 'create',
  input: z.strictObject({
    id: Id,
    to: z.string(),
    code: z.string(),
    expiresAt: z.iso.datetime(),
    inviter: z.string(),
    organization: z.string(),
    language: z.enum(LANGUAGES),
  }),
  output: z.object({ id: RecordId, mail: z.enum(['sent', 'failed', 'off']) }),
  errors: [],
  deadlineMs: 20_000,
  lane: 'long',
});
