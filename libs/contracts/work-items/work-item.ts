import { z } from 'zod';
import { ItemRef, oneLine, RecordId, Timestamp } from '../fields.ts';
import { ItemType, Title } from '../item-values.ts';
import { Label, LabelRefs } from '../projects/label.ts';
import { warnings } from '../warnings.ts';
import { plainFields } from './plain-fields.ts';

export { ITEM_TYPES, ItemType } from '../item-values.ts';

export const LEASE_STATES = ['working', 'awaiting_input'] as const;
export const LeaseState = z.enum(LEASE_STATES);
export type LeaseState = z.infer<typeof LeaseState>;

/** Who is working on an item, as everybody sees it: without the token. */
export const ShownLease = z.object({
  agent: z.string(),
  keyId: RecordId,
  claimedAt: Timestamp,
  expiresAt: Timestamp,
  /** When the agent was last heard of: by its claim, a renewal or a heartbeat. */
  lastHeartbeatAt: Timestamp,
  state: LeaseState,
  /** No heartbeat came for half of its time. */
  stalled: z.boolean(),
  /** What the agent reported in its last heartbeats. */
  note: z.string().nullable(),
  /** What it waits to be told, while it is awaiting input. */
  question: z.string().nullable(),
  /** From 0 to 1. */
  progress: z.number().nullable(),
  tokensSoFar: z.int().nullable(),
});
export type ShownLease = z.infer<typeof ShownLease>;

/** Why a task was sent back: what to fix. */
export const Rework = z.object({
  from: z.enum(['review', 'validation', 'move']),
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
  ...plainFields.shown,
  labels: z.array(Label),
  assignee: z.string().nullable(),
  boardId: RecordId,
  boardColumnId: RecordId,
  columnName: z.string(),
  parentId: RecordId.nullable(),
  projectId: RecordId,
  isAiProcessing: z.boolean(),
  lease: ShownLease.nullable(),
  /** Chosen by the creator, unique in its project; never changes. */
  externalId: z.string().nullable(),
  /** Of a task that was sent back and not taken up since. */
  rework: Rework.optional(),
  /** Dependencies that were sent back when it was already being worked on, until they pass. */
  onReturnedBase: z.array(z.string()).optional(),
});
export type WorkItemSummary = z.infer<typeof WorkItemSummary>;

export const WorkItem = WorkItemSummary.extend({
  description: z.string(),
  /** Orders the items of a column; only whether it is greater or smaller than another's is meaningful. */
  position: z.number(),
  metadata: z.record(z.string(), z.unknown()),
  /** Increases with each change. */
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WorkItem = z.infer<typeof WorkItem>;

/** What tools that create or change an item return. */
export const WrittenItem = WorkItem.extend(warnings);
export type WrittenItem = z.infer<typeof WrittenItem>;

/** What tools that create an item return. */
export const CreatedItem = WrittenItem.extend({
  /** With `externalId`: false if the item already existed, in which case nothing was changed. */
  created: z.boolean().optional(),
});
export type CreatedItem = z.infer<typeof CreatedItem>;

export const MAX_DEPENDENCIES = 500;

/** No control characters, no line breaks, nothing unassigned. */
const PRINTABLE = /^(?! )[^\p{C}\p{Zl}\p{Zp}]+(?<! )$/u;

/** What a caller may set. */
export const itemFields = {
  title: Title,
  description: z.string().max(50_000),
  assignee: oneLine(200, { mayBeEmpty: true }),
  externalId: z
    .string()
    .min(1)
    .max(200)
    .refine((value) => PRINTABLE.test(value), 'must be printable characters, without spaces at the ends'),
  labels: LabelRefs,
  /** Stored in `metadata.dependsOn`. */
  dependsOn: z.array(ItemRef).max(MAX_DEPENDENCIES),
  /** Stored in `metadata.ideaId`. */
  ideaId: ItemRef,
};

/** Labels to add to an item and to take from it, so that what others change about the rest stays as it is. */
export const labelChanges = { addLabels: LabelRefs.optional(), removeLabels: LabelRefs.optional() };

/** `version` of an update: the one that the caller has read; a different one means that somebody else was faster. */
export const ExpectedVersion = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
