import { z } from 'zod';
import { StoredNotification } from '../events/notifications.ts';
import { exampleSummary, ids, times } from '../examples.ts';
import { Cursor, NextCursor, RecordId } from '../fields.ts';
import { Invitation, RoleValue } from '../keys/records.ts';
import { operation } from '../operation.ts';
import { several } from '../several.ts';
import { Needed } from '../work-items/attention.ts';

/** What may need somebody, in the order in which it is listed. */
export const FOR_YOU_KINDS = [
  'question',
  'review',
  'validation',
  'returned',
  'stalled',
  'failed',
  'blocked',
  'budget',
  'mention',
  'assigned',
  'invitation',
] as const;
export const ForYouKind = z.enum(FOR_YOU_KINDS);
export type ForYouKind = z.infer<typeof ForYouKind>;

export const ForYouItem = Needed.extend({
  kind: ForYouKind,
  /** Unique in the list. */
  id: z.string(),
  projectId: RecordId.nullable(),
  /** By whom, and how the comment begins. */
  mention: StoredNotification.pick({ actor: true, text: true }).optional(),
  /** Of an invitation that nobody has used: whom, by whom, until when. For those who may manage users. */
  invitation: Invitation.pick({ state: true, expiresAt: true })
    .extend({
      user: z.object({ id: RecordId, name: z.string(), email: z.string(), role: RoleValue }),
      invitedBy: z.string(),
    })
    .optional(),
});
export type ForYouItem = z.infer<typeof ForYouItem>;

export const listForYou = operation({
  name: 'forYou.list',
  summary: 'List work that needs you, over all projects: kind by kind, oldest first.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    kinds: several(ForYouKind).optional(),
    limit: z.int().min(1).max(100).default(50),
    cursor: Cursor.optional(),
  }),
  output: z.object({
    items: z.array(ForYouItem),
    /** Of each kind, whatever `kinds` says; of more than 10 000, 10 000. */
    counts: z.record(ForYouKind, z.int()),
    nextCursor: NextCursor,
  }),
  errors: [],
  example: {
    input: { kinds: ['review'] },
    output: {
      items: [
        {
          kind: 'review',
          id: `review/${ids.task}`,
          since: times.updatedAt,
          projectId: ids.project,
          workItem: { ...exampleSummary, columnName: 'Review' },
        },
      ],
      counts: {
        ...{ question: 0, review: 1, validation: 0, returned: 0, stalled: 0, failed: 0 },
        ...{ blocked: 0, budget: 0, mention: 0, assigned: 0, invitation: 0 },
      },
      nextCursor: null,
    },
  },
  rest: 'GET /api/for-you',
  mcp: { tool: 'list_for_me', title: 'For you', unlisted: ['limit'] },
});
