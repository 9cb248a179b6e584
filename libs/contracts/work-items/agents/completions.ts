import { z } from 'zod';
import { column, ids, leaseToken } from '../../examples.ts';
import { ColumnRef, ItemRef, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { warnings } from '../../warnings.ts';
import { takeOver } from '../by-hand.ts';
import {
  Cost,
  CostBasis,
  DEFAULT_SESSION_TYPE,
  Provider,
  refuseParts,
  SessionType,
  sessionReport,
} from '../costs/sessions.ts';
import { ExpectedVersion } from '../work-item.ts';
import { LeaseToken } from './leases.ts';

const MAX_LIST = 500;
const Text = z.string().max(50_000);
const Line = z.string().max(2_000);
const Lines = z.array(Line).max(MAX_LIST);

/** For people, who judge what they have before them: it may have been judged, or handed over anew, since. */
const seen = {
  version: ExpectedVersion.optional().describe('The version that was judged: CONFLICT if it has changed'),
};

export const completeReview = operation({
  name: 'workItems.completeReview',
  summary: 'Finish a review: pass moves the item to Testing, fail back to In Progress.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    workItemId: ItemRef,
    result: z.enum(['pass', 'fail']),
    summary: Text.min(1),
    issues: z.array(Text).max(MAX_LIST).default([]),
    reviewedFiles: Lines.default([]),
    ...seen,
    ...takeOver,
  }),
  output: z.object({
    completed: z.boolean(),
    workItemId: RecordId,
    taskId: z.string(),
    result: z.enum(['pass', 'fail']),
    fromColumn: z.string(),
    movedTo: z.string(),
    ...warnings,
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: {
      workItemId: 'W-T-14',
      result: 'pass',
      summary: 'Reads well in the dark.',
      reviewedFiles: ['src/theme.ts'],
    },
    output: {
      completed: true,
      workItemId: ids.task,
      taskId: 'W-T-14',
      result: 'pass',
      fromColumn: 'Review',
      movedTo: 'Testing',
    },
  },
  rest: 'POST /api/work-items/:workItemId/review',
  mcp: {
    tool: 'complete_review',
    unlisted: ['version'],
    title: 'Complete review',
    description: 'For items in Review; get_review_context first.',
  },
});

/** Without a model it is a person's verdict, which says how it went. */
function refuseVerdict(
  given: {
    readonly result?: string | undefined;
    readonly model?: string | undefined;
    readonly totalTokens?: number | undefined;
    readonly testResults?: { readonly failed?: number | undefined } | undefined;
  },
  context: z.RefinementCtx,
): void {
  const { result, model, totalTokens, testResults } = given;
  const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const isByPerson = result !== undefined && model === undefined && totalTokens === undefined;
  // Only people give a result, so others are not told of that way.
  const otherwise =
    result === undefined
      ? 'is required'
      : 'is required, but for a verdict by a person, who gives result and neither model nor totalTokens';
  if (!isByPerson && model === undefined) fault('model', otherwise);
  if (!isByPerson && totalTokens === undefined) fault('totalTokens', otherwise);
  if (result === 'pass' && (testResults?.failed ?? 0) > 0) fault('result', 'must not be pass: tests failed');
}

export const completeValidation = operation({
  name: 'workItems.completeValidation',
  summary: 'Finish a validation: record results, documentation and AI session, move to To Document.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z
    .strictObject({
      workItemId: ItemRef,
      toDocumentColumnId: ColumnRef.optional().describe('Default: the next step'),
      validatingColumnId: ColumnRef.optional().describe('Deprecated'),
      documentation: z
        .strictObject({
          summary: Text.optional(),
          screenshots: Lines.optional(),
          mermaidDiagrams: z.array(Text).max(MAX_LIST).optional(),
          changelogEntry: Text.optional(),
        })
        .optional(),
      testResults: z
        .strictObject({
          passed: z.int().min(0).optional(),
          failed: z.int().min(0).optional(),
          testFiles: Lines.optional(),
        })
        .optional(),
      /** Of a person, who counts no tests. Default: by `testResults`. */
      result: z.enum(['pass', 'fail']).optional(),
      /** What was checked, or the faults found. */
      summary: Text.optional(),
      issues: z.array(Text).max(MAX_LIST).optional(),
      ...seen,
      ...sessionReport,
      // A person's verdict uses none.
      model: sessionReport.model.optional(),
      totalTokens: sessionReport.totalTokens.optional(),
      provider: Provider.optional(),
      taskId: z.string().max(20).optional(),
      ...takeOver,
    })
    .superRefine(refuseParts)
    // Also beside other faults, so that all missing fields are reported at once.
    .superRefine(refuseVerdict, { when: ({ value }) => typeof value === 'object' && value !== null }),
  output: z.object({
    completed: z.boolean(),
    workItemId: RecordId,
    taskId: z.string(),
    passed: z.boolean(),
    fromColumn: z.string(),
    movedTo: z.string(),
    redirected: z.boolean(),
    sessionId: RecordId,
    estimatedCost: Cost,
    costBasis: CostBasis,
    totalTokens: z.int(),
    ...warnings,
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: {
      workItemId: 'W-T-14',
      testResults: { passed: 12, failed: 0, testFiles: ['test/theme.test.ts'] },
      documentation: { changelogEntry: 'A dark colour scheme.' },
      model: 'claude-sonnet-4-5',
      totalTokens: 40_000,
    },
    output: {
      completed: true,
      workItemId: ids.task,
      taskId: 'W-T-14',
      passed: true,
      fromColumn: 'Validating',
      movedTo: 'To Document',
      redirected: false,
      sessionId: ids.session,
      estimatedCost: '0.240000',
      costBasis: 'total',
      totalTokens: 40_000,
    },
  },
  rest: 'POST /api/work-items/:workItemId/validation',
  mcp: {
    tool: 'complete_validation',
    unlisted: [
      ...['validatingColumnId', 'taskId', 'provider', 'result', 'summary', 'issues', 'version'],
      ...['cachedInputTokens', 'cacheWriteTokens', 'costUsd'],
    ],
    required: ['model', 'totalTokens'],
    title: 'Complete validation',
    description: 'For items in Testing or Validating. With testResults.failed > 0 the item goes back to In Progress.',
  },
});

export const completeAiTask = operation({
  name: 'workItems.completeAiTask',
  summary: 'Hand work over: move the item to Review, note user actions, record the AI session, end the lease.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z
    .strictObject({
      workItemId: ItemRef,
      reviewColumnId: ColumnRef.optional(),
      userActions: Text.optional(),
      ...sessionReport,
      provider: Provider.optional(),
      sessionType: SessionType.default(DEFAULT_SESSION_TYPE),
      taskId: z.string().max(20).optional(),
      ...takeOver,
      leaseToken: LeaseToken.optional(),
    })
    .superRefine(refuseParts),
  output: z.object({
    completed: z.boolean(),
    workItemId: RecordId,
    movedTo: z.string(),
    sessionId: RecordId,
    estimatedCost: Cost,
    costBasis: CostBasis,
    totalTokens: z.int(),
    ...warnings,
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    input: {
      workItemId: 'W-T-14',
      reviewColumnId: column('Review'),
      userActions: '- Look at the cart in the dark',
      model: 'gpt-4o',
      totalTokens: 120_000,
      durationMs: 420_000,
      leaseToken,
    },
    output: {
      completed: true,
      workItemId: ids.task,
      movedTo: 'Review',
      sessionId: ids.session,
      estimatedCost: '0.525000',
      costBasis: 'total',
      totalTokens: 120_000,
    },
  },
  rest: 'POST /api/work-items/:workItemId/ai-completion',
  mcp: {
    tool: 'complete_ai_task',
    unlisted: ['taskId', 'provider', 'sessionType'],
    title: 'Complete AI task',
    description: 'Use it for a finished task, not update or move. userActions: Markdown list, for the user to check.',
  },
});
