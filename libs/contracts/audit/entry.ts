import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { AUDIT_TARGETS } from './target.ts';

export const AUDIT_ACTORS = ['key', 'session', 'rule', 'grant', 'user', 'system'] as const;
export const AUDIT_OUTCOMES = ['allowed', 'denied'] as const;
/** Of a program's name for itself. */
export const MAX_USER_AGENT_LENGTH = 256;

export const AuditActor = z.object({
  type: z.enum(AUDIT_ACTORS),
  /** Of the key, the session, the rule, the grant or the user; `null` for the system. */
  id: RecordId.nullable(),
  name: z.string().nullable(),
  userId: RecordId.nullable(),
});
export type AuditActor = z.infer<typeof AuditActor>;

export const AuditContext = z.object({
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
  requestId: z.string().nullable(),
});
export type AuditContext = z.infer<typeof AuditContext>;

export const AuditTarget = z.object({ type: z.enum(AUDIT_TARGETS), id: z.string(), name: z.string().nullable() });
export type AuditTarget = z.infer<typeof AuditTarget>;

export const AuditChange = z.object({ field: z.string(), old: z.unknown(), new: z.unknown() });
export type AuditChange = z.infer<typeof AuditChange>;

/** One thing that was done about who may do what, or refused, as it is stored: in its place, and committed to by its hash. */
export const AuditEntry = z.object({
  /** Its place in the organization's audit log: counts up without gaps. */
  seq: z.int(),
  id: RecordId,
  at: Timestamp,
  /** The operation's name in the contract. */
  action: z.string(),
  actor: AuditActor,
  targets: z.array(AuditTarget),
  context: AuditContext,
  outcome: z.enum(AUDIT_OUTCOMES),
  changes: z.array(AuditChange),
  /** Of a refusal: how often it was tried within its minute. */
  count: z.int().optional(),
  /** Lowercase hex SHA-256 of the hash before it ("" for the first), in UTF-8, followed by the entry's canonical form (chain.ts). */
  hash: z.string(),
  /** By dotted path: the salt, in hex, of each value that the hash commits to by a hash of its own, so that the value can be erased. */
  salts: z.record(z.string(), z.string()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry before it has its place. */
export type AuditDraft = Omit<AuditEntry, 'seq' | 'hash' | 'salts'>;

/** Signed, about the log up to a place: whoever keeps it sees later whether that was rewritten or cut off. */
export const AuditHead = z.object({
  organizationId: RecordId,
  seq: z.int(),
  /** Of the entry at that place. */
  hash: z.string(),
  at: Timestamp,
  /** Names the key in `/.well-known/worktrack-audit-keys.json`. */
  keyId: z.string(),
  /** Ed25519, base64url, over the canonical form (RFC 8785) of organizationId, seq, hash and at. */
  signature: z.string(),
});
export type AuditHead = z.infer<typeof AuditHead>;
