import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { Actor } from '../people/actor.ts';
import type { Permission } from '../permissions.ts';

/** What events are about, and what can happen to it. */
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
    'dependency_returned',
    'needs_attention',
  ],
  feedback: ['received', 'status_changed', 'linked', 'unlinked', 'erased'],
  project: ['created', 'updated', 'deleted'],
  board: ['created', 'updated', 'deleted'],
  /** Only shared views: one that is no longer shared counts as deleted for everybody who is told. */
  view: ['created', 'updated', 'deleted'],
  source: ['created', 'updated', 'deleted'],
  /** `used_after_rotation`: an old key is still used shortly before, or after, the end of its overlap. Once a day and key. */
  key: ['created', 'revoked', 'used_after_rotation'],
  /** What an app may do in a user's name. `reused`: a code or token of it came twice, so that somebody else has had it; it has ended. */
  grant: ['created', 'revoked', 'reused'],
  user: ['created', 'updated', 'erased'],
  /** `test` is sent only to the webhook that is tested, and is not in the log. */
  webhook: ['created', 'updated', 'deleted', 'disabled', 'test'],
  /** `head`: a signed head of the audit log. */
  audit: ['head'],
} as const satisfies Record<string, readonly string[]>;

export type SubjectKind = keyof typeof HAPPENINGS;
export const SUBJECT_KINDS = Object.keys(HAPPENINGS) as [SubjectKind, ...SubjectKind[]];

export type EventTypeOf<Kind extends SubjectKind> = Kind extends SubjectKind
  ? `${Kind}.${(typeof HAPPENINGS)[Kind][number]}`
  : never;
export type EventType = EventTypeOf<SubjectKind>;
export const EVENT_TYPES = SUBJECT_KINDS.flatMap((kind) => HAPPENINGS[kind].map((what) => `${kind}.${what}`)) as [
  EventType,
  ...EventType[],
];

/** The permission to read an event's subject is also the permission to see the event. */
export const PERMISSION_TO_SEE: Readonly<Record<SubjectKind, Permission>> = {
  work_item: 'work-items:read',
  feedback: 'feedback:read',
  project: 'projects:read',
  board: 'projects:read',
  view: 'work-items:read',
  source: 'feedback:read',
  key: 'api-keys:read',
  grant: 'api-keys:read',
  user: 'users:read',
  webhook: 'webhooks:read',
  audit: 'audit:read',
};

/** @param type a type, or all of a kind (`work_item.*`) */
export function permissionToSee(type: EventType | `${SubjectKind}.*`): Permission {
  return PERMISSION_TO_SEE[type.slice(0, type.indexOf('.')) as SubjectKind];
}

export const EventSubject = z.object({
  kind: z.enum(SUBJECT_KINDS),
  id: RecordId,
  /** Of a work item. */
  taskId: z.string().optional(),
});
export type EventSubject = z.infer<typeof EventSubject>;

/** One thing that happened, as recorded in its organization's log. */
export const LoggedEvent = z.object({
  /** Its place in the log: counts up without gaps. */
  seq: z.int(),
  /** The same in every delivery, however often it is delivered. */
  id: RecordId,
  type: z.enum(EVENT_TYPES),
  at: Timestamp,
  /** `null`: the public, or the service itself. */
  actor: Actor.nullable(),
  projectId: RecordId.optional(),
  subject: EventSubject,
  /** The subject's, after the write that caused the event: it orders the events of one subject. */
  revision: z.int(),
  /** What changed. It never contains what the public wrote. */
  data: z.record(z.string(), z.unknown()),
});
export type LoggedEvent = z.infer<typeof LoggedEvent>;

/** As a service publishes it. The log assigns its place. */
export type PublishedEvent = Omit<LoggedEvent, 'seq' | 'type'> & {
  readonly organizationId: string;
  readonly type: EventType | typeof AUDIT_ENTRY;
};

/** One that belongs into the log. */
export type PublishedLogEvent = PublishedEvent & { readonly type: EventType };

/** What takes the events' way from a service to the audit log, and is no event. */
export const AUDIT_ENTRY = 'audit.entry';
