import type { Attachment } from './attachments/attachment.ts';
import type { AuditEntry } from './audit/entry.ts';
import type { LoggedEvent } from './events/event.ts';
import type { Delivery, Webhook } from './events/webhook.ts';
import type { FeedbackItem, Source } from './feedback/records.ts';
import type { Connection } from './keys/connection.ts';
import type { ApiKey, Grant, Session, User } from './keys/records.ts';
import { PERMISSIONS } from './permissions.ts';
import { type Board, STANDARD_COLUMNS, type StandardColumn } from './projects/board.ts';
import { ROLES } from './projects/column-roles.ts';
import type { Project } from './projects/project.ts';
import type { HistoryEvent } from './work-items/history-event.ts';
import { PLAIN_FIELDS, type PlainField } from './work-items/plain-fields.ts';
import type { ShownLease, WorkItem, WorkItemSummary } from './work-items/work-item.ts';

/** The records shared by the operations' examples: a shop that gets a dark mode. */
const id = (number: number) => `0199a1c4-5a10-7e3b-8f00-${String(number).padStart(12, '0')}`;
export const ids = {
  organization: id(1),
  user: id(2),
  key: id(3),
  otherKey: id(4),
  role: id(5),
  trustRule: id(6),
  grant: id(7),
  connection: id(8),
  trustTry: id(9),
  project: id(10),
  board: id(11),
  label: id(12),
  view: id(13),
  browser: id(14),
  epic: id(30),
  story: id(31),
  task: id(32),
  dependency: id(33),
  idea: id(34),
  event: id(40),
  session: id(41),
  attachment: id(42),
  consoleSession: id(43),
  source: id(50),
  feedback: id(51),
  webhook: id(60),
  delivery: id(61),
} as const;
export const column = (name: StandardColumn) => id(20 + STANDARD_COLUMNS.indexOf(name));

const createdAt = '2026-03-02T09:30:00.000Z';
const updatedAt = '2026-03-02T10:15:00.000Z';
export const times = {
  createdAt,
  updatedAt,
  leaseExpiresAt: '2026-03-02T10:30:00.000Z',
  codeExpiresAt: '2026-03-02T09:40:00.000Z',
  invitationExpiresAt: '2026-03-09T09:30:00.000Z',
} as const;
export const leaseToken = `${ids.task}.3kX0pQvL2mN8sT4uW6yZ1A`;
export const pagination = { page: 1, limit: 50, total: 1, totalPages: 1 } as const;

export const exampleProject: Project = {
  id: ids.project,
  name: 'Web shop',
  key: 'W',
  description: 'The shop at shop.example.com.',
  techStack: ['TypeScript', 'PostgreSQL'],
  repositories: ['https://git.example.com/web-shop'],
  defaultBoardId: ids.board,
  gates: 'warn',
  dependencyMet: 'review',
  templates: [
    {
      ...{ name: 'Bug', type: 'task', priority: 'high', labels: ['Accessibility'] },
      description: '## What happens\n\n## What should happen',
    },
  ],
  version: 4,
  createdAt,
  updatedAt,
};

export const exampleBoard: Board = {
  id: ids.board,
  projectId: ids.project,
  name: 'Board',
  columns: STANDARD_COLUMNS.map((name, position) => ({
    id: column(name),
    name,
    position,
    role: ROLES[position] ?? null,
    limit: null,
  })),
  version: 1,
};

export const exampleBoardMap = {
  id: ids.board,
  columns: exampleBoard.columns.map((each) => ({ id: each.id, name: each.name })),
  backlogColumnId: column('Backlog'),
  inProgressColumnId: column('In Progress'),
  reviewColumnId: column('Review'),
  validatingColumnId: column('Validating'),
  toDocumentColumnId: column('To Document'),
  doneColumnId: column('Done'),
};

const unset = Object.fromEntries(PLAIN_FIELDS.map((name) => [name, null])) as Record<PlainField, null>;
export const examplePlainFields = { ...unset, priority: 'high' } as const;

const summary: WorkItemSummary = {
  id: ids.task,
  taskId: 'W-T-14',
  title: 'Add a dark colour scheme',
  type: 'task',
  ...examplePlainFields,
  labels: [],
  assignee: null,
  boardId: ids.board,
  boardColumnId: column('To Do'),
  columnName: 'To Do',
  parentId: ids.story,
  projectId: ids.project,
  isAiProcessing: false,
  lease: null,
  externalId: null,
};

export const exampleLease: ShownLease = {
  agent: 'agent 3',
  keyId: ids.key,
  claimedAt: '2026-03-02T10:15:00.000Z',
  expiresAt: '2026-03-02T10:30:00.000Z',
  lastHeartbeatAt: '2026-03-02T10:15:00.000Z',
  state: 'working',
  stalled: false,
  note: null,
  question: null,
  progress: null,
  tokensSoFar: null,
};

const task: WorkItem = {
  ...summary,
  description: 'Follow the system setting, and let people choose.',
  position: 7,
  metadata: { dependsOn: ['W-T-13'] },
  version: 3,
  createdAt,
  updatedAt,
};

/** The task, in a column. */
export function exampleTask(columnName: StandardColumn, changes: Partial<WorkItem> = {}): WorkItem {
  return { ...task, columnName, boardColumnId: column(columnName), ...changes };
}

/** As lists show it. */
export const exampleSummary = summary;

export const exampleDependency = {
  id: ids.dependency,
  taskId: 'W-T-13',
  title: 'Name all colours',
  type: 'task',
} as const;
export const exampleStory = { id: ids.story, taskId: 'W-S-9', title: 'Dark mode', type: 'story' } as const;
export const exampleIdea = { id: ids.idea, taskId: 'W-I-3', title: 'Dark mode', type: 'idea' } as const;
export const exampleEpic = { id: ids.epic, taskId: 'W-E-2', title: 'Accessible shop', type: 'epic' } as const;

/** What the shortcut creators return. */
export function exampleCreated(changes: Pick<WorkItem, 'id' | 'taskId' | 'title' | 'type' | 'parentId'>): WorkItem {
  const fresh = { description: '', priority: 'medium', metadata: {}, version: 1, updatedAt: createdAt } as const;
  return exampleTask('Backlog', { ...fresh, ...changes });
}

export const exampleEvent: HistoryEvent = {
  id: ids.event,
  eventType: 'moved',
  data: { fromColumn: 'To Do', toColumn: 'In Progress' },
  actor: { userId: ids.user, keyId: ids.key },
  createdAt: updatedAt,
};

export const exampleSession = {
  id: ids.session,
  workItemId: ids.task,
  taskId: 'W-T-14',
  model: 'gpt-4o',
  provider: 'openai',
  totalTokens: 120_000,
  durationMs: 420_000,
  sessionType: 'implement',
  estimatedCost: '0.525000',
  costBasis: 'total',
  createdAt: updatedAt,
} as const;

export const exampleBudget = {
  of: 'W-E-2',
  limitUsd: 5,
  period: 'total',
  spentUsd: 0.525,
  spent: { recordedUsd: 0.4, inFlightUsd: 0.125 },
  remainingUsd: 4.475,
} as const;

export const exampleTotals = {
  sessions: 1,
  totalTokens: 120_000,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  durationMs: 420_000,
  estimatedCost: '0.525000',
  unpricedSessions: 0,
};

export const exampleAttachment: Attachment = {
  id: ids.attachment,
  fileName: 'dark.png',
  mimeType: 'image/png',
  size: 48_213,
  sha256: 'b1d5781111d84f7b3fe45a0852e59758cd7a87e5b8f2c2c4e3f1f6b2c7f0a9de',
  url: `/api/work-items/${ids.task}/attachments/local?key=dark.png`,
  uploadedBy: 'agent 3',
  metadata: { page: 'checkout' },
  createdAt: updatedAt,
};

export const exampleSource: Source = {
  id: ids.source,
  organizationId: ids.organization,
  publicKey: 'pk_4fT9xQ2mLr8vBn6KsW1zYc3D',
  type: 'widget',
  name: 'Shop',
  allowedDomains: ['shop.example.com'],
  requireCaptcha: true,
  enabled: true,
  createdAt,
  updatedAt,
};

export const exampleFeedback: FeedbackItem = {
  id: ids.feedback,
  sourceId: ids.source,
  status: 'new',
  message: 'Please add a dark mode.',
  category: 'feature_request',
  email: 'visitor@example.com',
  pageUrl: 'https://shop.example.com/cart',
  locale: 'en-GB',
  origin: 'https://shop.example.com',
  linkedWorkItemIds: [],
  createdAt,
  updatedAt: createdAt,
};

const { message, email, pageUrl, locale, origin, ...own } = exampleFeedback;
/** The same as a model sees it. */
export const exampleAgentFeedback = { ...own, untrustedText: { message, email, pageUrl, locale, origin } };

export const exampleUser: User = {
  id: ids.user,
  email: 'ada@example.com',
  name: 'Ada',
  role: 'owner',
  projects: null,
  disabled: false,
  createdAt,
  updatedAt: createdAt,
};

export const exampleKey: ApiKey = {
  id: ids.key,
  name: 'CI',
  prefix: 'wt_7hQ2mXv9',
  permissions: PERMISSIONS.filter((permission) => permission.startsWith('work-items')),
  projects: null,
  rateLimit: { requests: 6_000, windowSeconds: 60 },
  userId: ids.user,
  createdBy: ids.user,
  createdAt,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  replacedBy: null,
};

export const exampleConsoleSession: Session = {
  id: ids.consoleSession,
  prefix: 'wts_9fK2pLw4',
  userId: ids.user,
  keyId: ids.key,
  permissions: exampleKey.permissions,
  createdAt,
  lastUsedAt: updatedAt,
  expiresAt: '2026-03-02T21:30:00.000Z',
  revokedAt: null,
};

export const exampleGrant: Grant = {
  id: ids.grant,
  clientId: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  clientName: 'Claude',
  clientDomain: 'claude.ai',
  userId: ids.user,
  resource: 'connect',
  permissions: ['projects:read', 'work-items:read'],
  projects: null,
  createdAt,
  lastUsedAt: updatedAt,
  expiresAt: '2026-04-01T09:30:00.000Z',
  revokedAt: null,
  endedBecause: null,
};

export const exampleConnection: Connection = {
  id: ids.connection,
  at: createdAt,
  clientId: exampleGrant.clientId,
  clientName: exampleGrant.clientName,
  userAgent: 'Claude-User',
  userId: ids.user,
  steps: [
    { step: 'metadata', at: createdAt },
    { step: 'client', at: createdAt },
    { step: 'authorize', at: createdAt },
    { step: 'consent', at: createdAt },
  ],
  missing: 'code',
};

export const exampleLoggedEvent: LoggedEvent = {
  seq: 4712,
  id: ids.event,
  type: 'work_item.moved',
  at: updatedAt,
  actor: { userId: ids.user, keyId: ids.key },
  projectId: ids.project,
  subject: { kind: 'work_item', id: ids.task, taskId: 'W-T-12' },
  revision: 7,
  data: { fromColumn: 'In Progress', toColumn: 'Review' },
};

export const exampleWebhook: Webhook = {
  id: ids.webhook,
  url: 'https://hooks.example.com/worktrack',
  types: ['work_item.*'],
  description: 'Chat of the team',
  enabled: true,
  state: 'active',
  disabledReason: null,
  failingSince: null,
  seq: 4_712,
  maker: { userId: ids.user, keyId: ids.key },
  permissions: [...PERMISSIONS],
  createdAt,
  updatedAt: createdAt,
};

export const exampleDelivery: Delivery = {
  id: ids.delivery,
  webhookId: ids.webhook,
  eventId: ids.event,
  seq: 4_712,
  type: 'work_item.moved',
  subject: { kind: 'work_item', id: ids.task, taskId: 'W-T-14' },
  state: 'delivered',
  attempts: 1,
  status: 200,
  error: null,
  answer: 'ok',
  durationMs: 84,
  createdAt: updatedAt,
  attemptedAt: updatedAt,
  nextAttemptAt: null,
};

export const exampleAuditEntry: AuditEntry = {
  seq: 12,
  id: ids.event,
  at: createdAt,
  action: 'users.update',
  actor: { type: 'key', id: ids.key, name: 'CI', userId: ids.user },
  targets: [{ type: 'user', id: ids.user, name: 'Grace' }],
  context: { address: '203.0.113.7', userAgent: 'curl/8', requestId: 'b1946ac9' },
  outcome: 'allowed',
  changes: [{ field: 'role', old: 'member', new: 'admin' }],
  hash: `5feceb66${'…'}`,
  salts: { 'actor.name': `6b86b273${'…'}` },
};
