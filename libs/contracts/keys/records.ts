import { z } from 'zod';
import { described } from '../described.ts';
import { Id, oneLine, RecordId, Timestamp } from '../fields.ts';
import { PERMISSIONS, ROLES } from '../permissions.ts';

export const MAX_NAME_LENGTH = 100;
/** RFC 5321 leaves 254 characters for an address between its angle brackets. */
const MAX_EMAIL_LENGTH = 254;

/** The name of an organization, user or key: one line, since names are printed in terminals and logs. */
export const Name = oneLine(MAX_NAME_LENGTH);

const EMAIL = z.regexes.email;
/** An e-mail address, lower-cased: nobody has two accounts that differ only in case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_LENGTH)
  .register(described, { pattern: EMAIL.source })
  .pipe(z.email({ error: 'must be an e-mail address' }));

export const PermissionValue = z.enum(PERMISSIONS);
/** At least one. Some may be listed twice. */
export const PermissionsInput = z
  .array(PermissionValue)
  .min(1)
  .max(2 * PERMISSIONS.length);
/** The name of a built-in role, or the id of a custom one. */
export const RoleValue = z.string();
/** The highest role that something acts with, of those by which operations go, if it is less than its user's. */
export const RoleLimit = z.enum(['admin', 'member']);
export type RoleLimit = z.infer<typeof RoleLimit>;
export const RoleInput = z.union([z.enum(ROLES), Id], { error: `must be ${ROLES.join(', ')} or the id of a role` });

export const MAX_LIMITED_PROJECTS = 100;
/** The only projects that exist for a key or a user; `null`: all of the organization, later ones included. */
export const ProjectsInput = z
  .array(Id)
  .min(1)
  .max(MAX_LIMITED_PROJECTS)
  .transform((ids) => [...new Set(ids)])
  .nullable();
const Projects = z.array(RecordId).nullable();

export const RoleRecord = z.object({
  /** Of a built-in role: its name. */
  id: z.string(),
  name: z.string(),
  permissions: z.array(PermissionValue),
  builtIn: z.boolean(),
});
export type RoleRecord = z.infer<typeof RoleRecord>;

export const Organization = z.object({ id: RecordId, name: z.string(), createdAt: Timestamp });
export type Organization = z.infer<typeof Organization>;

export const User = z.object({
  id: RecordId,
  email: z.string(),
  name: z.string(),
  role: RoleValue,
  /** `null`: not limited. */
  projects: Projects,
  disabled: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type User = z.infer<typeof User>;

/** How long the link of an invitation signs in. */
export const INVITATION_DAYS = 7;

/** The last one of a user, until a week after its end, unless it was withdrawn. */
export const Invitation = z.object({
  /** `open`: its link signs in. `used`: it has. `ended`: nobody has used it in time, or the key that it was made with has ended. */
  state: z.enum(['open', 'used', 'ended']),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export type Invitation = z.infer<typeof Invitation>;

export const ListedUser = User.extend({ invitation: Invitation.nullable() });
export type ListedUser = z.infer<typeof ListedUser>;

const MAX_RATE = 1_000_000;
const MAX_RATE_WINDOW_SECONDS = 86_400;
export const DEFAULT_KEY_RATE = { requests: 6_000, windowSeconds: 60 } as const;

/** How many requests a key may make per window; a window begins with its first request. */
export const KeyRate = z.object({
  /** 0: unlimited. */
  requests: z.int(),
  windowSeconds: z.int(),
});
export type KeyRate = z.infer<typeof KeyRate>;

export const KeyRateInput = z
  .strictObject({
    requests: z.int().min(0).max(MAX_RATE),
    windowSeconds: z.int().min(1).max(MAX_RATE_WINDOW_SECONDS).default(DEFAULT_KEY_RATE.windowSeconds),
  })
  .describe(
    `Default: ${DEFAULT_KEY_RATE.requests} requests in ${DEFAULT_KEY_RATE.windowSeconds} s; 0 requests: no limit`,
  );

export const ApiKey = z.object({
  id: RecordId,
  name: z.string(),
  prefix: z.string(),
  /** As chosen at creation. What the key can currently do is this ∩ the permissions of its user's role. */
  permissions: z.array(PermissionValue),
  /** `null`: all of the organization, later ones included. What exists for the key at the moment is this ∩ those of its user. */
  projects: Projects,
  rateLimit: KeyRate,
  /** The user that the key acts as. */
  userId: RecordId,
  createdBy: RecordId,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  /** The key that took its place by a rotation; this one works until `expiresAt`. */
  replacedBy: RecordId.nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** The result of a creation. `key` is shown only this once; a replay has null, because it is stored nowhere. */
export const CreatedApiKey = ApiKey.extend({ key: z.string().nullable() });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

/** A browser that is signed in to the console. */
export const Session = z.object({
  id: RecordId,
  prefix: z.string(),
  /** The user that it acts as. */
  userId: RecordId,
  /** The key that it was opened with, and ends with. */
  keyId: RecordId,
  /** As they were at sign-in. What it can currently do is this ∩ what its key can do ∩ the permissions of its user's role. */
  permissions: z.array(PermissionValue),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp,
  revokedAt: Timestamp.nullable(),
});
export type Session = z.infer<typeof Session>;

/** The endpoints for apps that somebody has connected, and so what their tokens are good for. */
export const RESOURCES = ['connect', 'connect/readonly'] as const;
export const Resource = z.enum(RESOURCES);
export type Resource = z.infer<typeof Resource>;

/** What a user has allowed an app, such as claude.ai or an editor, to do in their name. */
export const Grant = z.object({
  id: RecordId,
  /** The address of the app's document, or the id under which it has registered. */
  clientId: z.string(),
  clientName: z.string(),
  /** Where the app's document was fetched from. `null`: it has registered itself. */
  clientDomain: z.string().nullable(),
  userId: RecordId,
  resource: Resource,
  /** As they were given. What the app can currently do is this ∩ the permissions of its user's role. */
  permissions: z.array(PermissionValue),
  /** `null`: all of the organization, later ones included. */
  projects: Projects,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp,
  revokedAt: Timestamp.nullable(),
  /** Why it ended before its time: somebody has disconnected the app; or a code or token came twice, so that somebody else has had it. */
  endedBecause: z.enum(['revoked', 'code-reused', 'token-reused']).nullable(),
});
export type Grant = z.infer<typeof Grant>;
