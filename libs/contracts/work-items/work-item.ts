import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';

export const ITEM_TYPES = ['epic', 'feature', 'story', 'task', 'idea'] as const;
export const ItemType = z.enum(ITEM_TYPES);
export type ItemType = z.infer<typeof ItemType>;

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export const Priority = z.enum(PRIORITIES);
export type Priority = z.infer<typeof Priority>;

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
});
export type WorkItemSummary = z.infer<typeof WorkItemSummary>;

export const WorkItem = WorkItemSummary.extend({
  description: z.string(),
  /** Orders the items of a column; what it is, beside greater or smaller than another's, may change. */
  position: z.number(),
  metadata: z.record(z.string(), z.unknown()),
  isAiProcessing: z.boolean(),
  /** Counts up with each change. */
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WorkItem = z.infer<typeof WorkItem>;

/** What a caller may set. */
export const itemFields = {
  title: z.string().trim().min(1).max(500),
  description: z.string().max(50_000),
  assignee: z.string().trim().max(200),
};

/** `version` of an update: the one that the caller has read; another one means that somebody was faster. */
export const ExpectedVersion = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
