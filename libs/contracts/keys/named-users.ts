import { z } from 'zod';
import { RecordId } from '../fields.ts';
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
