import { z } from 'zod';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Category, Status } from './records.ts';

/** Of one feedback item: a page of the inbox shows them all, and each is looked up for callers who are limited to projects. */
export const MAX_LINKS = 50;

/**
 * The feedback service's step of `feedback.link`, which the gateway composes: only the work items service knows that the work
 * item exists and is an idea. Neither a route nor a tool.
 */
export const linkItem = operation({
  name: 'feedback.linkItem',
  summary: 'Record that a feedback item belongs to a work item.',
  permissions: ['feedback:write'],
  effect: 'update',
  input: z.strictObject({ feedbackId: Id, workItemId: Id }),
  output: z.object({
    linked: z.literal(true),
    feedbackId: RecordId,
    workItemId: RecordId,
    /** How many feedback items are linked to that work item. */
    feedbackCount: z.int(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
});

/** The same step of `feedback.unlink`. */
export const unlinkItem = operation({
  name: 'feedback.unlinkItem',
  summary: 'Forget that a feedback item belongs to a work item.',
  permissions: ['feedback:write'],
  effect: 'update',
  input: linkItem.input,
  output: linkItem.output.extend({ linked: z.literal(false) }),
  errors: ['NOT_FOUND'],
});

/** What `feedback.linkItem` returned, for a repetition of `feedback.link` after the work item was deleted. Neither a route nor a tool. */
export const linkedBefore = operation({
  name: 'feedback.linkedBefore',
  summary: 'The result of an earlier link with this idempotency key.',
  permissions: ['feedback:write'],
  effect: 'read',
  input: z.strictObject({ idempotencyKey: z.string(), link: linkItem.input }),
  output: linkItem.output.nullable(),
  errors: [],
});

const MAX_WORK_ITEMS = 1_000;
/** Beyond this, feedback on one idea is counted, not listed; long feedback even earlier. */
export const MAX_LINKED_FEEDBACK = 1_000;

/** The feedback part of a trace. Neither a route nor a tool. */
export const feedbackByWorkItems = operation({
  name: 'feedback.byWorkItems',
  summary: 'The feedback linked to any of the given work items, oldest first.',
  permissions: ['feedback:read'],
  effect: 'read',
  input: z.strictObject({ workItemIds: z.array(Id).min(1).max(MAX_WORK_ITEMS) }),
  output: z.object({
    total: z.int(),
    feedback: z.array(
      z.object({
        id: RecordId,
        status: Status,
        category: Category,
        createdAt: Timestamp,
        untrustedText: z.object({
          message: z.string(),
          email: z.string().nullable(),
          pageUrl: z.string().nullable(),
        }),
      }),
    ),
  }),
  errors: [],
});
