import type { Metadata } from '@worktrack/contracts/metadata';
import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/plain-fields';
import { ITEM_TYPES, type ItemType } from '@worktrack/contracts/work-items/work-item';
import mongoose from 'mongoose';
import type { Abandoned, LeaseRecord, Notice, Returned, ReturnedBase, TokenReport, Used } from './lease.ts';

/** How the last agent's work on an item ended: for whoever takes it up again. */
export interface Previous {
  agent: string;
  endedBecause: PreviousWork['endedBecause'];
  note: string | null;
  /** JSON; what an earlier agent left, if the last one left nothing. */
  checkpoint: string | null;
  at: Date;
}

/** What an item waits for people to do: at most one of these at a time, for they are states of its work. */
export type Need = 'question' | 'review' | 'validation' | 'returned' | 'stalled' | 'failed';

/** What an item needs from people (attention.ts), stored in it, so that the list over all projects is a read of an index however many items there are. */
export interface Attention {
  needs: { kind: Need; since: Date } | null;
  /** What it depends on was done wrong: it was sent back and has not passed since; in older data also what is gone, or depends on the item itself. */
  blocked: { since: Date; on: BlockedOn[] } | null;
  /** To a person, until it is done. */
  assigned: { since: Date } | null;
}

export interface BlockedOn {
  /** The item's, or what names nothing, as it was written. */
  ref: string;
  taskId: string;
  why: 'returned' | 'deleted' | 'cycle';
}

export interface ItemRecord {
  _id: string;
  organizationId: string;
  projectId: string;
  boardId: string;
  boardColumnId: string;
  taskId: string;
  title: string;
  description: string;
  type: ItemType;
  priority: Priority;
  /** Absent, or null, if there is none; likewise the estimate. */
  dueDate?: string | null | undefined;
  estimate?: number | null | undefined;
  /** Ids of labels of its project, which may have been deleted. Absent: none. */
  labels?: string[] | undefined;
  assignee: string | null;
  /** The user whom the one who assigned it by hand meant; NOBODY: none has that name. Absent: not known, as in what earlier versions stored. */
  assigneeId?: string | null | undefined;
  /** Absent if none was given. */
  externalId?: string | undefined;
  parentId: string | null;
  /** See found-by.ts. */
  foundBy: string[];
  /** Counts changes to the item's place in the tree: its type and its ancestors. */
  treeVersion: number;
  childCount: number;
  /** What `metadata.dependsOn` says, as references in their stored form. */
  dependsOn: string[];
  /** Those of `dependsOn` that are not handed over yet. */
  waitsFor: string[];
  /** See claimable.ts. */
  claimOrder: number | null;
  claimableFrom: Date | null;
  position: number;
  metadata: Metadata;
  isAiProcessing: boolean;
  /** Ends when the item leaves `In Progress`, whoever moves it. */
  lease: LeaseRecord | null;
  /** The agent that last made itself the assignee, by a claim. Its name holds nothing once its lease has ended. */
  claimedBy?: string | null | undefined;
  /** Who claimed it last, or handed it over: a pass by the same is no review. */
  workedBy?: { keyId: string; userId: string } | undefined;
  /** Dependencies that were sent back when it was already being worked on, until they pass. */
  onReturnedBase?: ReturnedBase[] | undefined;
  /** Absent, or null, except in items that wait to be taken up again. */
  returned?: Returned | null | undefined;
  /** Absent, or null, if there is nothing of the kind, or somebody has claimed it since. */
  abandoned?: Abandoned | null | undefined;
  /** Absent, or null, if no agent has worked on it, or it is done. */
  previous?: Previous | null | undefined;
  /** What it needs from people; see attention.ts. Absent, or null: nothing. */
  needs?: Attention['needs'] | undefined;
  blocked?: Attention['blocked'] | undefined;
  assigned?: Attention['assigned'] | undefined;
  /** Counts the changes visible to callers; what `If-Match` compares. */
  version: number;
  /**
   * Counts every write, even one that only says "I rely on this item staying as it is" (`touch` in the repository), so that
   * transactions that must not overtake each other conflict. Orders the item's history without a clock.
   */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

const returnedSchema = new mongoose.Schema<Returned>(
  {
    from: { type: String, required: true },
    at: { type: Date, required: true },
    summary: String,
    issues: { type: [String], default: undefined },
  },
  { _id: false },
);

const previousSchema = new mongoose.Schema<Previous>(
  {
    agent: { type: String, required: true },
    endedBecause: { type: String, required: true },
    note: String,
    checkpoint: String,
    at: { type: Date, required: true },
  },
  { _id: false },
);

const used = {
  totalTokens: { type: Number, required: true },
  inputTokens: Number,
  outputTokens: Number,
  cachedInputTokens: Number,
  cacheWriteTokens: Number,
  costMicrodollars: Number,
  costBasis: String,
} as const;

const earlierSchema = new mongoose.Schema<Used>(used, { _id: false });

const abandonedSchema = new mongoose.Schema<Abandoned>(
  {
    ...used,
    model: String,
    provider: String,
    earlier: earlierSchema,
    keyId: { type: String, required: true },
    durationMs: { type: Number, required: true },
  },
  { _id: false },
);

const reportSchema = new mongoose.Schema<TokenReport>(
  {
    ...used,
    model: { type: String, required: true },
    provider: { type: String, required: true },
    earlier: earlierSchema,
    paidMicrodollars: Number,
    at: { type: Date, required: true },
  },
  { _id: false },
);

const noticeSchema = new mongoose.Schema<Notice>(
  {
    kind: { type: String, required: true },
    taskId: { type: String, required: true },
    summary: { type: String, default: '' },
    issues: { type: [String], required: true },
    at: { type: Date, required: true },
  },
  { _id: false },
);

const returnedBaseSchema = new mongoose.Schema<ReturnedBase>(
  {
    id: { type: String, required: true },
    taskId: { type: String, required: true },
    until: { type: String, required: true },
  },
  { _id: false },
);

const needsSchema = new mongoose.Schema<NonNullable<Attention['needs']>>(
  { kind: { type: String, required: true }, since: { type: Date, required: true } },
  { _id: false },
);

const blockedOnSchema = new mongoose.Schema<BlockedOn>(
  {
    ref: { type: String, required: true },
    taskId: { type: String, required: true },
    why: { type: String, required: true },
  },
  { _id: false },
);

const blockedSchema = new mongoose.Schema<NonNullable<Attention['blocked']>>(
  { since: { type: Date, required: true }, on: { type: [blockedOnSchema], required: true } },
  { _id: false },
);

const assignedSchema = new mongoose.Schema<NonNullable<Attention['assigned']>>(
  { since: { type: Date, required: true } },
  { _id: false },
);

const leaseSchema = new mongoose.Schema<LeaseRecord>(
  {
    token: { type: String, required: true },
    keyId: { type: String, required: true },
    agent: String,
    run: String,
    beats: Number,
    claimedAt: Date,
    expiresAt: { type: Date, required: true },
    leaseSeconds: Number,
    stallsAt: Date,
    state: String,
    userId: String,
    note: String,
    question: String,
    askedAt: Date,
    askedRevision: Number,
    notices: { type: [noticeSchema], default: undefined },
    progress: Number,
    report: reportSchema,
    unsettledUntil: Date,
    checkpoint: String,
    heardRevision: Number,
    before: {
      boardColumnId: { type: String, required: true },
      assignee: { type: String, default: null },
      isAiProcessing: { type: Boolean, required: true },
      claimedBy: String,
      returned: returnedSchema,
    },
  },
  { _id: false },
);

const itemSchema = new mongoose.Schema<ItemRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    boardId: { type: String, required: true },
    boardColumnId: { type: String, required: true },
    taskId: { type: String, required: true },
    title: { type: String, required: true },
    description: { type: String, default: '' },
    type: { type: String, enum: ITEM_TYPES, required: true },
    priority: { type: String, enum: PRIORITIES, required: true },
    dueDate: String,
    estimate: Number,
    labels: { type: [String], default: undefined },
    assignee: { type: String, default: null },
    assigneeId: String,
    externalId: String,
    parentId: { type: String, default: null },
    foundBy: { type: [String], required: true },
    treeVersion: { type: Number, required: true },
    childCount: { type: Number, required: true },
    dependsOn: { type: [String], required: true },
    waitsFor: { type: [String], required: true },
    claimOrder: { type: Number, default: null },
    claimableFrom: { type: Date, default: null },
    position: { type: Number, required: true },
    metadata: { type: mongoose.Schema.Types.Mixed, default: {} },
    isAiProcessing: { type: Boolean, required: true },
    lease: { type: leaseSchema, default: null },
    claimedBy: String,
    workedBy: { keyId: String, userId: String },
    onReturnedBase: { type: [returnedBaseSchema], default: undefined },
    returned: returnedSchema,
    abandoned: abandonedSchema,
    previous: previousSchema,
    needs: needsSchema,
    blocked: blockedSchema,
    assigned: assignedSchema,
    version: { type: Number, required: true },
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  // An empty object in metadata is a value too.
  { collection: 'work_items', versionKey: false, minimize: false },
);
// Items are named by their phrases (found-by.ts), or by one of the two unique ones.
itemSchema.index({ organizationId: 1, foundBy: 1, _id: 1 });
itemSchema.index({ organizationId: 1, taskId: 1 }, { unique: true });
// Lists: what they contain, then their order. The ones that leave least come first.
itemSchema.index({ organizationId: 1, parentId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, boardColumnId: 1, position: 1, _id: 1 });
itemSchema.index({ organizationId: 1, boardId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, updatedAt: 1, _id: 1 });
// What is rare in a project of a million: an assignee, the ideas, what is urgent. Each alone, since what one of them leaves is few, or the page fills
// quickly; and only within projects, which nearly every list has. A column or a parent is small by comparison, and is walked.
itemSchema.index({ organizationId: 1, projectId: 1, assignee: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, type: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, priority: 1, _id: 1 });
itemSchema.index({ organizationId: 1, projectId: 1, labels: 1, _id: 1 });
itemSchema.index({ organizationId: 1, assignee: 1, _id: 1 });
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
// What needs somebody, of whichever kind, longest first: in the organization, and in each project. Only what does is in them.
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
itemSchema.index({ organizationId: 1, dependsOn: 1 });
itemSchema.index({ organizationId: 1, 'metadata.ideaId': 1 });

export const ItemModel = mongoose.model('WorkItem', itemSchema);
