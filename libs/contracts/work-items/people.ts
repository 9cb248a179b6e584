import { z } from 'zod';
import { Id } from '../fields.ts';
import { operation } from '../operation.ts';

/** For the gateway, which knows of users' names what the service of users does. Neither a route nor a tool. */
export const nameUser = operation({
  name: 'workItems.nameUser',
  summary:
    'Say what a user is called now. Whatever is assigned to the user under an earlier name said here follows, and once the user is erased, the history too.',
  permissions: [],
  effect: 'update',
  input: z.strictObject({
    userId: Id,
    name: z.string(),
    /** The user's: of two names the later one holds, in whichever order they are said. */
    revision: z.int(),
    isErased: z.boolean(),
  }),
  output: z.object({}),
  errors: [],
});
