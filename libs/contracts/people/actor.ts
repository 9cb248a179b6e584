import { z } from 'zod';
import { RecordId } from '../fields.ts';

/** Of an agent that acts under a lease. */
export const agentFields = {
  /** The name that it gave itself. */
  agent: z.string().optional(),
  /** As far as it has said. */
  model: z.string().optional(),
  /** Its work from one claim on: the same in all that it does until the lease ends. */
  run: RecordId.optional(),
};

/** Who did something: a key of a user, and the agent that used it. */
export const Actor = z.object({
  userId: RecordId,
  keyId: RecordId,
  ...agentFields,
});

export type Actor = z.infer<typeof Actor>;
