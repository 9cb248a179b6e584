/** What the model keeps of boards, work items, their history and AI sessions. */

export type ItemType = 'epic' | 'feature' | 'story' | 'task' | 'idea';
export type Priority = 'low' | 'medium' | 'high' | 'urgent';
export type Metadata = Record<string, unknown>;
export type Gates = 'warn' | 'enforce';
/** From which column on what depends on a task need not wait. */
export type DependencyMet = 'review' | 'testing' | 'done';
/** An API key and its user. */
export interface Who {
  readonly key: string;
  readonly user: string;
}

export interface ModelColumn {
  readonly id: string;
  readonly name: string;
  /** The standard name of the column's purpose, kept when it is renamed; none for another name. */
  readonly step: string;
  /** Ids in column order. */
  items: string[];
}
export interface ModelBoard {
  readonly id: string;
  columns: ModelColumn[];
}
/** Reported in the log and not kept in the history. */
type Passing = 'claimed' | 'released' | 'lease_expired' | 'progress' | 'ready' | 'dependency_returned';
/** The verdict that must pass again before dependents can rely on the task. */
export type Verdict = 'review' | 'validation';
export interface ModelEvent {
  readonly eventType: 'created' | 'updated' | 'moved' | 'deleted' | 'ai_session' | 'comment' | Passing;
  readonly data: Record<string, unknown>;
}
/** What work has used and what that cost, as the interface says it. Costs are whole micro-dollars. */
export interface Used {
  readonly totalTokens: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** null: the model has no known price. */
  readonly cost: number | null;
  readonly costBasis: 'paid' | 'split' | 'total' | 'unpriced';
}
/** With the model that did the latest of it, and what had been used before that took over from another. */
export type UsedBy = Used & { readonly model: string; readonly earlier?: Used | undefined };
export type LeaseState = 'working' | 'awaiting_input';
export interface ModelLease {
  readonly token: string;
  readonly key: string;
  readonly user: string;
  readonly agent: string;
  readonly claimedAtMs: number;
  leaseSeconds: number;
  expiresAtMs: number;
  state: LeaseState;
  question?: string;
  askedAtMs?: number;
  /** What the agent has told of its work that is in no session yet. */
  report?: UsedBy & { readonly paid?: number | undefined; readonly atMs: number };
  /** What the next heartbeat brings: comments, and the task IDs of dependencies that were sent back. */
  answers: string[];
  notices: string[];
  /** It was reported as expired. */
  isSettled: boolean;
  readonly before: {
    readonly boardColumnId: string;
    readonly assignee: string | null;
    readonly isAiProcessing: boolean;
    readonly claimedBy: string | null;
    readonly isReturned: boolean;
  };
}
export interface ModelItem {
  readonly id: string;
  readonly taskId: string;
  readonly boardId: string;
  title: string;
  type: ItemType;
  priority: Priority;
  dueDate: string | null;
  estimate: number | null;
  assignee: string | null;
  parentId: string | null;
  readonly externalId: string | null;
  boardColumnId: string;
  metadata: Metadata;
  isAiProcessing: boolean;
  version: number;
  lease: ModelLease | null;
  /** The agent of the last claim. */
  claimedBy: string | null;
  /** Who did the work. */
  workedBy: Who | null;
  /** Who brought it to its review, or further. */
  handedOverBy: Who | null;
  /** The use that was recorded when a lease ended without a completion. A later completion by its key includes it. */
  abandoned: (UsedBy & { readonly key: string; readonly durationMs: number }) | null;
  /** A failed review or validation sent it back. */
  isReturned: boolean;
  /** Dependencies that were sent back when somebody had begun to build upon them. */
  onReturnedBase: readonly { readonly id: string; readonly until: Verdict }[];
  readonly history: ModelEvent[];
}
/** What a creation may say. */
export interface NewItem extends Pick<ModelItem, 'title' | 'type'> {
  readonly priority?: Priority;
  readonly dueDate?: string;
  readonly estimate?: number;
  readonly assignee?: string;
  readonly parentId?: string | undefined;
  readonly externalId?: string;
  readonly metadata?: Metadata;
}
export interface Tokens {
  readonly totalTokens: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly costUsd?: number;
  readonly durationMs?: number;
}
export interface Report extends Tokens {
  readonly model: string;
}
/** What was recorded of a session. */
export interface ModelSession extends Used {
  readonly durationMs: number;
  /** null: of an item that was deleted and had no parent. */
  countedFor: string | null;
}
export interface Usage {
  sessions: number;
  totalTokens: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  durationMs: number;
  estimatedCost: string;
  unpricedSessions: number;
}
export interface CascadedMove {
  readonly id: string;
  readonly taskId: string;
  readonly fromColumn: string;
  readonly toColumn: string;
}
export type Place = 'first' | 'last' | { readonly after: string };
export type Editable = Pick<
  ModelItem,
  'title' | 'type' | 'priority' | 'dueDate' | 'estimate' | 'assignee' | 'parentId' | 'metadata'
>;
export type Changes = Partial<Omit<ModelItem, 'id' | 'taskId' | 'boardId' | 'version' | 'history' | 'boardColumnId'>>;
export type Code = 'NOT_FOUND' | 'VALIDATION_FAILED' | 'CONFLICT';
