import { z } from 'zod';
import { Id, ItemRef, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { PreviousWork } from './agents/leases.ts';
import { Budget } from './costs/budget.ts';
import { WorkItemSummary } from './work-item.ts';

/** What work items and budgets need from people, in the order in which it is shown. */
export const NEED_KINDS = [
  'question',
  'review',
  'validation',
  'returned',
  'stalled',
  'failed',
  'blocked',
  'budget',
  'assigned',
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** From this part of its limit on, a budget needs somebody. */
export const BUDGET_WARNING_SHARE = 0.8;

/** A page of a list, and one more. */
const MAX_SUMMARIES = 101;

/** Where a list ended. */
export const NeedPlace = z.strictObject({ kind: z.enum(NEED_KINDS), since: z.iso.datetime(), id: Id });

export const Needed = z.object({
  kind: z.enum(NEED_KINDS),
  /** Unique in its kind: the id of the item, or of the budget's owner. */
  id: RecordId,
  since: Timestamp,
  projectId: RecordId,
  /** Of all but the budget of a project. */
  workItem: WorkItemSummary.optional(),
  /** Of the item: what was handed over anew since is judged anew, so a verdict takes it. */
  version: z.int().optional(),
  /** For a blocked item: the dependencies that were done wrong. */
  blockedBy: z.array(z.object({ taskId: z.string(), reason: z.enum(['returned', 'deleted', 'cycle']) })).optional(),
  /** For failed work, and work that an agent handed over: how it ended. */
  previous: PreviousWork.omit({ checkpoint: true }).optional(),
  budget: Budget.optional(),
});
export type Needed = z.infer<typeof Needed>;

/** The part of `forYou.list` that work items know. Neither a route nor a tool. */
export const listNeeds = operation({
  name: 'workItems.needs',
  summary:
    'List what work items and budgets need from people, kind by kind, and within each what has waited longest first.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    kinds: z.array(z.enum(NEED_KINDS)),
    /** By what names the caller is assigned. */
    names: z.array(z.string()),
    after: NeedPlace.optional(),
    limit: z.int().min(0).max(100),
  }),
  output: z.object({
    /** One more than `limit` if there are more. */
    needed: z.array(Needed),
    /** Of all kinds, up to MAX_COUNTED. */
    counts: z.record(z.enum(NEED_KINDS), z.int()),
  }),
  errors: [],
});

/** What the gateway shows beside what other services know of items. Neither a route nor a tool. */
export const summarizeWorkItems = operation({
  name: 'workItems.summaries',
  summary: 'Show work items briefly; those that do not exist for the caller are left out.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ ids: z.array(ItemRef).max(MAX_SUMMARIES) }),
  output: z.object({ workItems: z.array(WorkItemSummary) }),
  errors: [],
});
