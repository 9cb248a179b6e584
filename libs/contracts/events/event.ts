import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import type { Permission } from '../permissions.ts';

/** What events are about, and what happens to it. */
const HAPPENINGS = {
  work_item: [
    'created',
    'updated',
    'moved',
    'deleted',
    'claimed',
    'released',
    'lease_expired',
    'progress',
    'commented',
    'ai_session',
    'attachment_added',
    'attachment_removed',
    'ready',
  ],
  feedback: ['received', 'status_changed', 'linked', 'erased'],
  project: ['created', 'updated', 'deleted'],
  board: ['created', 'updated', 'deleted'],
  source: ['created', 'updated', 'deleted'],
  key: ['created', 'revoked'],
  user: ['created', 'updated'],
  /** `test` is sent to a webhook that is tested, and in no log. */
  webhook: ['created', 'updated', 'deleted', 'disabled', 'test'],
} as const satisfies Record<string, readonly string[]>;

export type SubjectKind = keyof typeof HAPPENINGS;
export const SUBJECT_KINDS = Object.keys(HAPPENINGS) as [SubjectKind, ...SubjectKind[]];

type TypeOf<Kind extends SubjectKind> = Kind extends SubjectKind
  ? `${Kind}.${(typeof HAPPENINGS)[Kind][number]}`
  : never;
export type EventType = TypeOf<SubjectKind>;
export const EVENT_TYPES = SUBJECT_KINDS.flatMap((kind) => HAPPENINGS[kind].map((what) => `${kind}.${what}`)) as [
  EventType,
  ...EventType[],
];

/** Who may see an event: who may read what it is about. */
export const PERMISSION_TO_SEE: Readonly<Record<SubjectKind, Permission>> = {
  work_item: 'work-items:read',
  feedback: 'feedback:read',
  project: 'projects:read',
  board: 'projects:read',
  source: 'feedback:read',
  key: 'api-keys:read',
  user: 'users:read',
  webhook: 'webhooks:read',
};

export const EventSubject = z.object({
  kind: z.enum(SUBJECT_KINDS),
  id: RecordId,
  /** Of a work item. */
  taskId: z.string().optional(),
});
export type EventSubject = z.infer<typeof EventSubject>;

export const EventActor = z.object({
  userId: RecordId,
  keyId: RecordId,
  /** Of what an agent does with its lease: how it calls itself. */
  agent: z.string().optional(),
});

/** One thing that happened, as it lies in the log of its organization. */
export const LoggedEvent = z.object({
  /** Its place in the log: counts up without a gap. */
  seq: z.int(),
  /** The same in every delivery, however often it is delivered. */
  id: RecordId,
  type: z.enum(EVENT_TYPES),
  at: Timestamp,
  /** Nobody in particular: the public, or the service itself. */
  actor: EventActor.nullable(),
  projectId: RecordId.optional(),
  subject: EventSubject,
  /** Of the subject, after the write that made the event: the events of one subject are in its order. */
  revision: z.int(),
  /** What was changed. What the public wrote is never in it. */
  data: z.record(z.string(), z.unknown()),
});
export type LoggedEvent = z.infer<typeof LoggedEvent>;

/** As a service publishes it. The log gives it its place. */
export type PublishedEvent = Omit<LoggedEvent, 'seq'> & { readonly organizationId: string };
