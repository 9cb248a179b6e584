import type { CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import type { LeaseState, Rework } from '@worktrack/contracts/work-items/work-item';
import {
  date,
  flag,
  nullable,
  number,
  optional,
  part,
  parts,
  text,
  texts,
  withDefault,
} from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored } from '@worktrack/runtime/database/documents/schema';

const returnedFields = {
  from: text<Rework['from']>(),
  at: date(),
  /** The instructions for rework, as far as lists show them. Absent in data of earlier versions. */
  summary: optional(text()),
  issues: optional(texts()),
};
/**
 * A task that was sent back, by a failed review or validation or by hand. It is open for work rather than in progress until it is claimed, moved or given an
 * assignee.
 */
export type Returned = Stored<typeof returnedFields>;
export const returnedSchema = partSchemaOf(returnedFields);

/** The verdict that must pass again before dependents can rely on the task. */
export type Verdict = 'review' | 'validation';

const returnedBaseFields = {
  id: text(),
  taskId: text(),
  /** The verdict that makes it sound again. */
  until: text<Verdict>(),
};
/** A dependency that was sent back when somebody had already begun to build upon it. */
export type ReturnedBase = Stored<typeof returnedBaseFields>;
export const returnedBaseSchema = partSchemaOf(returnedBaseFields);

const noticeFields = {
  kind: text<'dependency_returned'>(),
  taskId: text(),
  summary: withDefault(text(), ''),
  issues: texts(),
  at: date(),
};
/** What happened to something that the agent builds upon. */
export type Notice = Stored<typeof noticeFields>;

const usedFields = {
  totalTokens: number(),
  inputTokens: nullable(number()),
  outputTokens: nullable(number()),
  /** Parts of the input. */
  cachedInputTokens: nullable(number()),
  cacheWriteTokens: nullable(number()),
  /** null: the price is not known. */
  costMicrodollars: nullable(number()),
  /** Absent in what earlier versions stored. */
  costBasis: optional(text<CostBasis>()),
};
/** What work has used; null: not said. */
export type Used = Stored<typeof usedFields>;

const usedByFields = {
  ...usedFields,
  model: optional(text()),
  provider: optional(text()),
  /** What was used, in all, before that model took over. Absent if there was no other. */
  earlier: optional(part(partSchemaOf(usedFields))),
};
/** What work has used so far, and who did it in the end. Abandoned sessions of earlier versions do not say it. */
export type UsedBy = Stored<typeof usedByFields>;

const abandonedFields = { ...usedByFields, keyId: text(), durationMs: number() };
/** What was recorded when a lease ended without a completion. A completion that the same key makes after all includes it. */
export type Abandoned = Stored<typeof abandonedFields>;
export const abandonedSchema = partSchemaOf(abandonedFields);

const reportFields = {
  ...usedByFields,
  model: text(),
  provider: text(),
  /** The most that was said to have been paid so far, also where the estimate for more tokens has hidden it since. Absent: nothing was said. */
  paidMicrodollars: optional(number()),
  at: date(),
};
export type TokenReport = Stored<typeof reportFields>;

const beforeFields = {
  boardColumnId: text(),
  assignee: nullable(text()),
  /** Which user that is, as in the item, where it may be another one by the time that the lease ends. */
  assigneeId: optional(nullable(text())),
  isAiProcessing: flag(),
  claimedBy: optional(nullable(text())),
  /** Why it was already in `In Progress`, to be fixed. */
  returned: optional(nullable(part(returnedSchema))),
};

const leaseFields = {
  token: text(),
  /** The API key that claimed. */
  keyId: text(),
  agent: text(),
  /** Names the work from this claim on, in all that is recorded of it. */
  run: text(),
  /** How often the agent was heard of since. */
  beats: optional(number()),
  claimedAt: date(),
  expiresAt: date(),
  /** How long it lasts from each heartbeat. */
  leaseSeconds: number(),
  /** When it becomes stalled, unless a heartbeat comes first. */
  stallsAt: date(),
  state: text<LeaseState>(),
  /** The owner of the key. */
  userId: text(),
  note: optional(text()),
  question: optional(text()),
  /** When the agent began to wait for an answer to it. */
  askedAt: optional(date()),
  /** The item's revision before the question: whatever is commented after it, but not by the agent itself, answers it. */
  askedRevision: optional(number()),
  /** What the agent has not been told yet. */
  notices: optional(parts(partSchemaOf(noticeFields))),
  progress: optional(number()),
  /** What the agent's work has used so far, not yet reported by a completion. */
  report: optional(part(partSchemaOf(reportFields))),
  /** When something about it has to be noticed next: that it stalls, then that it expires. Removed once its expiry has been settled (settle.ts). */
  unsettledUntil: optional(date()),
  /** JSON for whoever works on the item next. */
  checkpoint: optional(text()),
  /** The item's revision up to which the agent has received others' comments. */
  heardRevision: number(),
  /** What a release restores. */
  before: part(partSchemaOf(beforeFields)),
};
/** The exclusive right of an agent to work on an item, for a while. Part of the item's record, so that it ends in the same write as its cause. */
export type LeaseRecord = Stored<typeof leaseFields>;
export const leaseSchema = partSchemaOf(leaseFields);
