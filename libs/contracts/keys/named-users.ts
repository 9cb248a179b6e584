import { z } from 'zod';
import { Id, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';

export const MAX_NAMED = 200;

/** For the gateway, which tells the other services whom an input names. Neither a route nor a tool. */
export const namedUsers = operation({
  name: 'users.named',
  summary:
    'The enabled users that are meant by these names: an id, an address, a name, or a name without spaces after an @.',
  permissions: [],
  effect: 'read',
  input: z.strictObject({ names: z.array(z.string().max(300)).max(MAX_NAMED) }),
  output: z.object({ users: z.array(z.object({ id: RecordId, name: z.string(), as: z.string() })) }),
  errors: [],
});

/** For the gateway, which tells the work items service when a user has got another name. Neither a route nor a tool. */
export const nameOfUser = operation({
  name: 'users.nameOf',
  summary: 'What a user is called now, disabled or not.',
  permissions: [],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: z.object({
    /** null: there is no such user. */
    named: z.object({ name: z.string(), revision: z.int(), isErased: z.boolean() }).nullable(),
  }),
  errors: [],
});
