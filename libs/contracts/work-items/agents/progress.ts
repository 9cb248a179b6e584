import { z } from 'zod';
import { exampleBudget, exampleLease, ids, leaseToken, times } from '../../examples.ts';
import { ItemRef, Timestamp } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { Budget } from '../costs/budget.ts';
import { Provider, refuseParts, sessionReport, Tokens, tokenParts } from '../costs/sessions.ts';
import { LeaseState, ShownLease } from '../work-item.ts';
import { Answer, LeaseToken, Question } from './leases.ts';

const MAX_NOTE_LENGTH = 500;
const MAX_CHECKPOINT_BYTES = 16 * 1024;

/** Any JSON; stored as text, so that nothing in it has a meaning for the database. */
const Checkpoint = z.unknown().superRefine((value, context) => {
  if (value !== undefined && new TextEncoder().encode(JSON.stringify(value)).byteLength > MAX_CHECKPOINT_BYTES) {
    context.addIssue({ code: 'custom', message: `must be at most ${MAX_CHECKPOINT_BYTES} bytes as JSON` });
  }
});

export const reportProgress = operation({
  name: 'workItems.progress',
  summary: 'Renew a claim’s lease and report progress; get answers to a question, and whether to stop.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z
    .strictObject({
      workItemId: ItemRef,
      leaseToken: LeaseToken,
      state: LeaseState.optional(),
      note: z.string().trim().max(MAX_NOTE_LENGTH).optional(),
      question: Question.optional().describe('With awaiting_input; answers come later'),
      progress: z.number().min(0).max(1).optional(),
      model: sessionReport.model.optional(),
      provider: Provider.optional(),
      totalTokens: Tokens.optional().describe('So far'),
      ...tokenParts,
      checkpoint: Checkpoint.optional().describe('JSON for the next agent'),
    })
    .superRefine(refuseParts),
  output: z.object({
    lease: ShownLease.extend({ token: z.string() }),
    /** Comments by other keys since the last heartbeat. */
    answers: z.array(
      Answer.extend({
        /** It was written before the latest question was asked, so it is no answer to that. */
        beforeQuestion: z.literal(true).optional(),
      }),
    ),
    budget: Budget.nullable(),
    /** A budget is exhausted: hand over what there is, or release. */
    stop: z.boolean(),
    /** What happened to something that the task builds upon, each told once: of each the latest, in brief. Absent if there is nothing. */
    notices: z
      .array(
        z.object({
          kind: z.literal('dependency_returned'),
          taskId: z.string(),
          summary: z.string(),
          issues: z.array(z.string()),
          at: Timestamp,
        }),
      )
      .optional(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: { workItemId: 'W-T-14', leaseToken, note: 'Tests are written', progress: 0.5 },
    output: {
      lease: { ...exampleLease, note: 'Tests are written', progress: 0.5, token: leaseToken },
      answers: [
        {
          text: 'Use the palette of the brand.',
          actor: { userId: ids.user, keyId: ids.key },
          createdAt: times.createdAt,
        },
      ],
      budget: exampleBudget,
      stop: false,
    },
  },
  rest: 'POST /api/work-items/:workItemId/progress',
  mcp: {
    tool: 'report_progress',
    title: 'Report progress',
    // What the agent has just said itself, or has.
    brief: {
      lease: ['token', 'agent', 'keyId', 'claimedAt', 'lastHeartbeatAt', 'stalled', 'note', 'progress', 'tokensSoFar'],
    },
  },
});
