import type { Metadata } from '@worktrack/contracts/metadata';
import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/plain-fields';
import { ITEM_TYPES, type ItemType } from '@worktrack/contracts/work-items/work-item';
import {
  date,
  flag,
  mixed,
  nullable,
  number,
  optional,
  part,
  parts,
  text,
  texts,
  withDefault,
} from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';
import { abandonedSchema, leaseSchema, returnedBaseSchema, returnedSchema, type Verdict } from './lease.model.ts';

const previousFields = {
  agent: text(),
  endedBecause: text<PreviousWork['endedBecause']>(),
  note: nullable(text()),
  /** JSON; what an earlier agent left, if the last one left nothing. */
  checkpoint: nullable(text()),
  at: date(),
};
/** How the last agent's work on an item ended: for whoever takes it up again. */
export type Previous = Stored<typeof previousFields>;

/** What an item waits for people to do: at most one of these at a time, for they are states of its work. */
export type Need = 'question' | 'review' | 'validation' | 'returned' | 'stalled' | 'failed';

const blockedOnFields = {
  /** The item's, or what names nothing, as it was written. */
  ref: text(),
  taskId: text(),
  why: text<'returned' | 'deleted' | 'cycle'>(),
};
export type BlockedOn = Stored<typeof blockedOnFields>;

const crossedFields = {
  dueAt: date(),
  /** Who moved it. */
  userId: text(),
  keyId: text(),
  /** If it was sent back, which its dependents are told. */
  returned: optional(part(partSchemaOf({ until: text<Verdict>(), summary: text(), issues: texts() }))),
};

const attentionFields = {
  needs: nullable(part(partSchemaOf({ kind: text<Need>(), since: date() }))),
  /**
   * A dependency was done wrong: it was sent back and has not passed since. In older data, this includes dependencies that are gone, or depend on the item
   * itself.
   */
  blocked: nullable(part(partSchemaOf({ since: date(), on: parts(partSchemaOf(blockedOnFields)) }))),
  /** To a person, until it is done. */
  assigned: nullable(part(partSchemaOf({ since: date() }))),
};
/** What an item needs from people (attention.ts), stored in it, so that the list over all projects is a read of an index however many items there are. */
export type Attention = Stored<typeof attentionFields>;

const fields = {
  _id: text(),
  organizationId: text(),
  projectId: text(),
  boardId: text(),
  boardColumnId: text(),
  taskId: text(),
  title: text(),
  description: withDefault(text(), ''),
  type: text<ItemType>(ITEM_TYPES),
  priority: text<Priority>(PRIORITIES),
  /** Absent, or null, if there is none; likewise the estimate. */
  dueDate: optional(nullable(text())),
  estimate: optional(nullable(number())),
  /** Ids of labels of its project, which may have been deleted. Absent: none. */
  labels: optional(texts()),
  assignee: nullable(text()),
  /** The user meant in an assignment by hand; NOBODY: none has that name. Absent: not known, as in data of earlier versions. */
  assigneeId: optional(nullable(text())),
  /** Absent if none was given. */
  externalId: optional(text()),
  parentId: nullable(text()),
  /** See found-by.ts. */
  foundBy: texts(),
  /** Counts changes to the item's place in the tree: its type and its ancestors. */
  treeVersion: number(),
  childCount: number(),
  /** What `metadata.dependsOn` says, as references in their stored form. */
  dependsOn: texts(),
  /** Those of `dependsOn` that are not handed over yet. */
  waitsFor: texts(),
  /** See claimable.ts. */
  claimOrder: nullable(number()),
  claimableFrom: nullable(date()),
  position: number(),
  metadata: withDefault(mixed<Metadata>(), {}),
  isAiProcessing: flag(),
  /** Ends when the item leaves `In Progress`, whoever moves it. */
  lease: nullable(part(leaseSchema)),
  /** The agent that last made itself the assignee, by a claim. Its name holds nothing once its lease has ended. */
  claimedBy: optional(nullable(text())),
  /** Who claimed it last, or completed it. A pass by the same, or by whoever handed it over, is no review. */
  workedBy: optional(part(partSchemaOf({ keyId: text(), userId: text() }))),
  /** Who brought it to where it is judged: work that nobody claimed has been done by them. */
  handedOverBy: optional(part(partSchemaOf({ keyId: text(), userId: text() }))),
  /** Dependencies that were sent back when it was already being worked on, until they pass. */
  onReturnedBase: optional(parts(returnedBaseSchema)),
  /** Absent, or null, except in items that wait to be taken up again. */
  returned: optional(nullable(part(returnedSchema))),
  /** Absent, or null, if there is nothing of the kind, or somebody has claimed it since. */
  abandoned: optional(nullable(part(abandonedSchema))),
  /** Absent, or null, if no agent has worked on it, or it is done. */
  previous: optional(nullable(part(partSchemaOf(previousFields)))),
  /** While some that depend on it have yet to follow where it went, or to be told (dependencies/catch-up.ts). Absent, or null: all have. */
  crossed: optional(nullable(part(partSchemaOf(crossedFields)))),
  /** The item's needs from people; see attention.ts. Absent, or null: none. */
  needs: optional(attentionFields.needs),
  blocked: optional(attentionFields.blocked),
  assigned: optional(attentionFields.assigned),
  /** Counts the changes visible to callers; what `If-Match` compares. */
  version: number(),
  /**
   * Counts every write, even one that only says "I rely on this item staying as it is" (`touch` in the repository). So transactions that must not overtake each
   * other conflict. It orders the item's history without a clock.
   */
  revision: number(),
  createdAt: date(),
  updatedAt: date(),
};

export type ItemRecord = Stored<typeof fields>;

// An empty object in metadata is a value too.
const itemSchema = schemaOf(fields, { collection: 'work_items', minimize: false });
// Items are named by their phrases (found-by.ts), or by one of the two unique ones.
itemSchema.index({ organizationId: 1, foundBy: 1, _id: 1 });
itemSchema.index({ organizationId: 1, taskId: 1 }, { unique: true });
// Indexes of lists: first their conditions, then their order. The most selective come first, and lists over all projects last.
itemSchema.index({ organizationId: 1, parentId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, boardColumnId: 1, position: 1, _id: 1 });
itemSchema.index({ organizationId: 1, boardId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, updatedAt: 1, _id: 1 });
// Indexes for rare values in a project of a million: an assignee, the ideas, the urgent items. One field each suffices: either it leaves few items, or the page
// fills quickly. They exist only within projects, which nearly every list has. A column or a parent is small by comparison, and is walked.
itemSchema.index({ organizationId: 1, projectId: 1, assignee: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, type: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, priority: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, labels: 1, _id: 1 });
itemSchema.index({ organizationId: 1, assignee: 1, _id: 1 });
itemSchema.index({ organizationId: 1, _id: 1 });
// What can be claimed, and the first of those in a column.
itemSchema.index({ organizationId: 1, boardColumnId: 1, type: 1, priority: 1, position: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, claimableFrom: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, claimOrder: 1, _id: 1 });
// What agents hold: few among all items, so one index does for every list of them.
itemSchema.index({ organizationId: 1, 'lease.state': 1, _id: 1 });
itemSchema.index(
  { organizationId: 1, externalId: 1, projectId: 1 },
  { unique: true, partialFilterExpression: { externalId: { $exists: true } } },
);
// Items that need somebody, by kind, the longest waiting first: in the organization, and in each project. They contain no others.
const NEEDING = { partialFilterExpression: { 'needs.since': { $exists: true } } };
itemSchema.index({ organizationId: 1, 'needs.kind': 1, 'needs.since': 1, _id: 1 }, NEEDING);
itemSchema.index({ organizationId: 1, projectId: 1, 'needs.kind': 1, 'needs.since': 1, _id: 1 }, NEEDING);
const BLOCKED = { partialFilterExpression: { 'blocked.since': { $exists: true } } };
itemSchema.index({ organizationId: 1, 'blocked.since': 1, _id: 1 }, BLOCKED);
itemSchema.index({ organizationId: 1, projectId: 1, 'blocked.since': 1, _id: 1 }, BLOCKED);
itemSchema.index(
  { organizationId: 1, assignee: 1, 'assigned.since': 1, _id: 1 },
  { partialFilterExpression: { 'assigned.since': { $exists: true } } },
);
// Across all organizations, and no longer than there are agents at work: what has expired is at its start.
itemSchema.index({ 'lease.unsettledUntil': 1 }, { sparse: true });
// Likewise, no longer than there are dependents that have yet to follow.
itemSchema.index({ 'crossed.dueAt': 1 }, { sparse: true });
itemSchema.index({ organizationId: 1, dependsOn: 1 });
itemSchema.index({ organizationId: 1, 'metadata.ideaId': 1 });

export const ItemModel = mongoose.model('WorkItem', itemSchema);
