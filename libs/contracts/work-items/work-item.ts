import { z } from 'zod';
import { ItemRef, RecordId, Timestamp } from '../fields.ts';

export const ITEM_TYPES = ['epic', 'feature', 'story', 'task', 'idea'] as const;
export const ItemType = z.enum(ITEM_TYPES);
export type ItemType = z.infer<typeof ItemType>;

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export const Priority = z.enum(PRIORITIES);
export type Priority = z.infer<typeof Priority>;

export const LEASE_STATES = ['working', 'awaiting_input'] as const;
export const LeaseState = z.enum(LEASE_STATES);
export type LeaseState = z.infer<typeof LeaseState>;

/** Who works on an item, as everybody sees it: without the token. */
export const ShownLease = z.object({
  agent: z.string(),
  keyId: RecordId,
  claimedAt: Timestamp,
  expiresAt: Timestamp,
  state: LeaseState,
  /** No beat came for half of its time. */
  stalled: z.boolean(),
  /** What the agent told by its last beats. */
  note: z.string().nullable(),
  /** From 0 to 1. */
  progress: z.number().nullable(),
  tokensSoFar: z.int().nullable(),
});
export type ShownLease = z.infer<typeof ShownLease>;

/** Why a task that was claimed had been sent back: what to mend. */
export const Rework = z.object({
  from: z.enum(['review', 'validation']),
  summary: z.string(),
  issues: z.array(z.string()),
  at: Timestamp,
});
export type Rework = z.infer<typeof Rework>;

/** A work item as lists show it. */
export const WorkItemSummary = z.object({
  id: RecordId,
  taskId: z.string(),
  title: z.string(),
  type: ItemType,
  priority: Priority,
  assignee: z.string().nullable(),
  boardId: RecordId,
  boardColumnId: RecordId,
  columnName: z.string(),
  parentId: RecordId.nullable(),
  projectId: RecordId,
  isAiProcessing: z.boolean(),
  lease: ShownLease.nullable(),
  /** By whoever created it, unique in its project; never changes. */
  externalId: z.string().nullable(),
});
export type WorkItemSummary = z.infer<typeof WorkItemSummary>;

export const WorkItem = WorkItemSummary.extend({
  description: z.string(),
  /** Orders the items of a column; what it is, beside greater or smaller than another's, may change. */
  position: z.number(),
  metadata: z.record(z.string(), z.unknown()),
  /** Counts up with each change. */
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WorkItem = z.infer<typeof WorkItem>;

/** What a write that was done should still be told: absent when there is nothing. */
export const warnings = { warnings: z.array(z.string()).optional() };

/** What the tools answer that create or change an item. */
export const WrittenItem = WorkItem.extend(warnings);
export type WrittenItem = z.infer<typeof WrittenItem>;

/** What the tools answer that create. */
export const CreatedItem = WrittenItem.extend({
  /** With `externalId`: false where the item was there before. Nothing was changed then. */
  created: z.boolean().optional(),
});
export type CreatedItem = z.infer<typeof CreatedItem>;

export const MAX_DEPENDENCIES = 500;

/** No controls, no line breaks, nothing unassigned. */
const PRINTABLE = /^(?! )[^\p{C}\p{Zl}\p{Zp}]+(?<! )$/u;

/** What a caller may set. */
export const itemFields = {
  title: z.string().trim().min(1).max(500),
  description: z.string().max(50_000),
  assignee: z.string().trim().max(200),
  externalId: z
    .string()
    .min(1)
    .max(200)
    .refine((value) => PRINTABLE.test(value), 'must be printable characters, and no spaces at its ends'),
  /** Kept in `metadata.dependsOn`. */
  dependsOn: z.array(ItemRef).max(MAX_DEPENDENCIES),
  /** Kept in `metadata.ideaId`. */
  ideaId: ItemRef,
};

/** `version` of an update: the one that the caller has read; another one means that somebody was faster. */
export const ExpectedVersion = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
