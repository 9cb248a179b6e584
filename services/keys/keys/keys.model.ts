import type { KeyRate, RoleLimit } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import { date, nullable, number, optional, part, text, texts } from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const rateSchema = partSchemaOf({ requests: number(), windowSeconds: number() });

const fields = {
  _id: text(),
  organizationId: text(),
  userId: text(),
  createdBy: text(),
  name: text(),
  prefix: text(),
  /** HMAC-SHA-256, keyed with the pepper, of the SHA-256 of the key; in hexadecimal. */
  hash: text(),
  permissions: texts<Permission>(),
  /** The only projects that exist for it. Absent, or null: all. */
  projects: optional(nullable(texts())),
  /** Keys from earlier versions have none: they have the default. */
  rateLimit: optional(part<KeyRate>(rateSchema)),
  /** What goes by its user's role goes by no higher one than this; see users/role-limit.ts. */
  roleLimit: optional(text<RoleLimit>()),
  createdAt: date(),
  lastUsedAt: nullable(date()),
  expiresAt: nullable(date()),
  revokedAt: nullable(date()),
  /** The key that replaced it; it expires at the end of the overlap. */
  replacedBy: optional(text()),
  /** The first key of its line of rotations, under which its requests are counted. */
  rotatedFrom: optional(part(partSchemaOf({ id: text(), prefix: text() }))),
  /** When it was last reported that it is still in use although it was replaced. */
  usedAfterRotationAt: optional(date()),
  /** When it was last entered in the audit log that it signs nobody in any more. */
  signInRefusedAt: optional(date()),
  /** Incremented by each change: orders the key's events. Absent in records stored by earlier versions. */
  revision: optional(number()),
};

export type KeyDocument = Stored<typeof fields>;

const keySchema = schemaOf(fields, { collection: 'keys' });
// The one lookup that comes before there is an organization. Unique, because the cache of verified keys is named by it.
keySchema.index({ prefix: 1 }, { unique: true });
keySchema.index({ organizationId: 1, _id: 1 });
keySchema.index({ organizationId: 1, userId: 1 });

export const KeyModel = mongoose.model('Key', keySchema);
