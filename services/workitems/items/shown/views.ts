import { PLAIN_FIELDS } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemRecord } from '../items.model.ts';
import { SHOWN_OF_LEASE } from '../lease.ts';

/**
 * The projections: how much of an item is read for each purpose, each declared once. `Seen` gives the type that one of them reads, so a field added to a view
 * is there for all its users. Fields that callers set and see unchanged come from the contract (`PLAIN_FIELDS`).
 */
export type Seen<View> = Pick<ItemRecord, Extract<RootOf<keyof View>, keyof ItemRecord> | '_id'>;
/** 'lease' of 'lease.agent'. */
type RootOf<Path> = Path extends `${infer Root}.${string}` ? Root : Path;

const view = <const Field extends keyof ItemRecord>(...fields: readonly Field[]) =>
  Object.fromEntries(fields.map((field) => [field, 1])) as Readonly<Record<Field, 1>>;

/** Name and place, for what shows something else about an item. */
export const NAMED = view('taskId', 'title', 'type', 'projectId', 'boardId', 'boardColumnId', 'foundBy', 'revision');
export type NamedItem = Seen<typeof NAMED>;

/** A summary, as in lists, in events and in whatever mentions an item. */
export const SUMMARY = {
  ...view('taskId', 'title', 'type', ...PLAIN_FIELDS, 'assignee', 'projectId', 'boardId', 'boardColumnId', 'parentId'),
  ...view('labels', 'isAiProcessing', 'externalId', 'returned', 'onReturnedBase'),
  ...SHOWN_OF_LEASE,
} as const;
export type SummaryItem = Seen<typeof SUMMARY>;

/** A row of a list or a card, with its place in the column. */
export const LISTED = { ...SUMMARY, ...view('position', 'waitsFor', 'version', 'createdAt', 'updatedAt') } as const;
export type ListedItem = Seen<typeof LISTED>;

/** The whole item as `get` shows it. */
export const SHOWN = {
  ...SUMMARY,
  ...view('description', 'position', 'metadata', 'version', 'createdAt', 'updatedAt'),
} as const;
export type ShownItem = Seen<typeof SHOWN>;

/** What `resolve` shows, but for the description. */
export const RESOLVABLE = { ...SUMMARY, ...view('version') } as const;

/** What rules need besides the content. */
export const OUTLINE = {
  ...view('organizationId', 'taskId', 'type', 'parentId', 'projectId', 'boardId', 'boardColumnId'),
  ...view('treeVersion', 'version', 'revision', 'childCount', 'waitsFor', 'claimOrder', 'claimableFrom', 'dependsOn'),
  ...view(
    'foundBy',
    'workedBy',
    'handedOverBy',
    'onReturnedBase',
    'lease',
    'abandoned',
    'claimedBy',
    'returned',
    'previous',
    'assignee',
    'assigneeId',
    'priority',
    'position',
    'title',
    'needs',
    'blocked',
    'assigned',
  ),
} as const;
export type ItemOutline = Seen<typeof OUTLINE>;

/** What plans need: not the text, which would dominate the cost for hundreds of items. */
export const PLANNED = {
  ...view('taskId', 'title', 'type', 'priority', 'projectId', 'boardId', 'boardColumnId', 'position', 'parentId'),
  ...view('returned', 'assignee', 'assigneeId', 'claimedBy', 'revision'),
  ...SHOWN_OF_LEASE,
  'lease.before.returned': 1,
  'previous.agent': 1,
  'metadata.dependsOn': 1,
  'metadata.prompt.generatedAt': 1,
} as const;
export type PlannedItem = Omit<Seen<typeof PLANNED>, 'metadata'> & {
  readonly metadata?: { readonly dependsOn?: unknown; readonly prompt?: { readonly generatedAt?: unknown } };
};

/** What orders the tasks that can be claimed. */
export const CANDIDATE = {
  ...view('taskId', 'priority', 'boardColumnId', 'position', 'claimOrder', 'returned'),
  'lease.before.returned': 1,
} as const;
