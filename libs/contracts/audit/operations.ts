import { z } from 'zod';
import { exampleAuditEntry, ids, times } from '../examples.ts';
import { DayOrTime, Id, NextCursor, refuseReversed } from '../fields.ts';
import { operation } from '../operation.ts';
import { AUDIT_ACTORS, AuditEntry, AuditHead, AuditTarget, MAX_USER_AGENT_LENGTH } from './entry.ts';

const MAX_ENTRIES = 200;
const MAX_ACTION_LENGTH = 100;
const MAX_NAME_LENGTH = 400;
/** Silence between two pieces after which an export is abandoned. */
const EXPORT_DEADLINE_MS = 30_000;
export const MAX_REFUSALS_PER_REPORT = 500;

const range = {
  from: DayOrTime.optional().describe('Inclusive'),
  to: DayOrTime.optional().describe('Exclusive'),
};

const common = { permissions: ['audit:read'], ofOrganization: true, effect: 'read', audit: 'audit' } as const;

export const listAudit = operation({
  ...common,
  name: 'audit.list',
  summary: 'Read the audit log, newest first; with `after`, in order from there.',
  input: z
    .strictObject({
      after: z.int().min(0).optional().describe('seq of the last entry you have'),
      actor: Id.optional().describe('Id of a key, a session, a rule, a grant or a user'),
      action: z.string().min(1).max(MAX_ACTION_LENGTH).optional().describe('Such as users.update'),
      target: z.string().min(1).max(MAX_ACTION_LENGTH).optional().describe('Id of the target'),
      ...range,
      limit: z.int().min(1).max(MAX_ENTRIES).default(50),
      /** `nextCursor` of the previous page. */
      cursor: z.string().max(MAX_ACTION_LENGTH).optional(),
    })
    .superRefine(refuseReversed(['from', 'to'])),
  output: z.object({ entries: z.array(AuditEntry), nextCursor: NextCursor }),
  errors: [],
  example: { input: { action: 'users.update' }, output: { entries: [exampleAuditEntry], nextCursor: null } },
  rest: 'GET /api/audit',
});

export const exportAudit = operation({
  ...common,
  name: 'audit.export',
  summary:
    'All entries of a time range in order, one per line (application/jsonl). `worktrack audit verify` checks the file.',
  input: z.strictObject(range).superRefine(refuseReversed(['from', 'to'])),
  output: z.object({
    /** How many follow. */
    entries: z.int(),
  }),
  errors: [],
  example: { input: { from: times.createdAt }, output: { entries: 1 } },
  rest: 'GET /api/audit/export',
  bytes: 'down',
  deadlineMs: EXPORT_DEADLINE_MS,
});

export const listAuditHeads = operation({
  ...common,
  name: 'audit.heads',
  summary:
    'The signed heads of the audit log, newest first: keep them elsewhere, and you see later whether it was rewritten or cut off.',
  input: z.strictObject({
    limit: z.int().min(1).max(MAX_ENTRIES).default(50),
    /** `nextCursor` of the previous page. */
    cursor: z.string().max(MAX_ACTION_LENGTH).optional(),
  }),
  output: z.object({ heads: z.array(AuditHead), nextCursor: NextCursor }),
  errors: [],
  example: {
    input: {},
    output: {
      heads: [
        {
          organizationId: ids.organization,
          seq: exampleAuditEntry.seq,
          hash: exampleAuditEntry.hash,
          at: times.updatedAt,
          keyId: 'a',
          signature: `Zx1q${'…'}`,
        },
      ],
      nextCursor: null,
    },
  },
  rest: 'GET /api/audit/heads',
});

export const auditKeys = operation({
  name: 'audit.keys',
  summary: 'The public keys that heads are signed with, as a JWKS.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        kid: z.string(),
        x: z.string(),
      }),
    ),
  }),
  errors: [],
});

const text = z.string().max(MAX_NAME_LENGTH).nullable();

/** Tries of one kind by one caller in one minute, as a gateway has counted them since its last report. */
export const Refusal = z.strictObject({
  organizationId: Id,
  action: z.string().min(1).max(MAX_ACTION_LENGTH),
  /** The first of its minute, in whole minutes since 1970. */
  minute: z.int(),
  actor: z.strictObject({ type: z.enum(AUDIT_ACTORS), id: Id, name: text, userId: Id }),
  targets: z.array(AuditTarget).max(1),
  context: z.strictObject({
    address: text,
    userAgent: z.string().max(MAX_USER_AGENT_LENGTH).nullable(),
    requestId: text,
  }),
  count: z.int().min(1),
});
export type Refusal = z.infer<typeof Refusal>;

export const recordRefusals = operation({
  name: 'audit.recordRefusals',
  summary:
    'Count what was refused to authenticated callers. Each minute becomes one entry per caller and action once it has ended.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({ refusals: z.array(Refusal).min(1).max(MAX_REFUSALS_PER_REPORT) }),
  output: z.object({}),
  errors: [],
});
