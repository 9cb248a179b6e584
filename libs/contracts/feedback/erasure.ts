import { z } from 'zod';
import { ids } from '../examples.ts';
import { Id, RecordId } from '../fields.ts';
import { Email } from '../keys/records.ts';
import { operation } from '../operation.ts';

/** For a call that may erase very many items, in batches. */
export const ERASURE_DEADLINE_MS = 60_000;

export const deleteFeedback = operation({
  name: 'feedback.delete',
  summary:
    'Erase the submitted content of a feedback item: message, address, page, locale and origin. Its id, status and links stay, so that counts and traces remain correct.',
  permissions: ['feedback:write'],
  audit: 'feedback',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.feedback }, output: { deleted: true, id: ids.feedback } },
  rest: 'DELETE /api/feedback/items/:id',
});

export const eraseSender = operation({
  name: 'feedback.erase',
  summary:
    'Erase everything a sender submitted, by e-mail address in any letter case. Each item stays, as after its own deletion.',
  permissions: ['feedback:write'],
  roles: ['owner', 'admin'],
  ofOrganization: true,
  audit: 'feedback',
  effect: 'update',
  input: z.strictObject({
    email: Email,
  }),
  /** How many items this call erased: after an interrupted call, those that were left. */
  output: z.object({ erased: z.int() }),
  errors: [],
  example: { input: { email: 'visitor@example.com' }, output: { erased: 3 } },
  rest: 'POST /api/feedback/erase',
  deadlineMs: ERASURE_DEADLINE_MS,
  lane: 'long',
});
