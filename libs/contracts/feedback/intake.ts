import { z } from 'zod';
import { Id, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { CaptchaChallenge, Ingested, MAX_CAPTCHA_TOKEN_LENGTH } from './public-api.ts';
import { FeedbackPerDay } from './quota.ts';
import { RateLimit, SourceType } from './records.ts';
import { submissionFields } from './submission.ts';

const LOOK_UP_DEADLINE_MS = 2_000;

/** What the gateway needs to know about a source to admit or refuse a submission. */
export const AdmittedSource = z.object({
  id: z.string(),
  organizationId: z.string(),
  publicKey: z.string(),
  type: SourceType,
  name: z.string(),
  allowedDomains: z.array(z.string()),
  requireCaptcha: z.boolean(),
  projectId: z.string().optional(),
  rateLimit: RateLimit.optional(),
  /** The organization's, if it has one. */
  feedbackPerDay: FeedbackPerDay.optional(),
});
export type AdmittedSource = z.infer<typeof AdmittedSource>;

export const sourceByPublicKey = operation({
  name: 'sources.byPublicKey',
  summary: 'The enabled source with a public key.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({ publicKey: z.string() }),
  /** `null`: unknown, deleted or disabled. */
  output: z.object({ source: AdmittedSource.nullable() }),
  errors: [],
  deadlineMs: LOOK_UP_DEADLINE_MS,
});

export const captchaChallenge = operation({
  name: 'captcha.challenge',
  summary: 'A proof-of-work challenge for a submission to a source.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({ sourceId: Id }),
  output: CaptchaChallenge,
  /** NOT_FOUND: the configured captcha is not the self-hosted one. */
  errors: ['NOT_FOUND'],
});

export const verifyCaptcha = operation({
  name: 'captcha.verify',
  summary:
    'Verify the captcha solution of a submission. A solution is accepted for one submission, however often that submission asks.',
  permissions: 'internal',
  // It stores nothing: Redis records, by the item's id, that the solution was used, so a repeated call returns the same result.
  effect: 'read',
  input: z.strictObject({
    itemId: Id,
    sourceId: Id,
    origin: z.string().nullable(),
    captchaToken: z.string().max(MAX_CAPTCHA_TOKEN_LENGTH),
  }),
  output: z.object({ passed: z.literal(true) }),
  errors: ['CAPTCHA_INVALID'],
  // A verifier on the internet may take seconds, which must not delay submissions to other sources.
  lane: 'long',
});

/** HMAC-SHA-256 as base64url. */
const Digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const ingestFeedback = operation({
  name: 'feedback.ingest',
  summary: 'Store an admitted submission, unless it is a duplicate.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    /** Id of the future item; the same for every attempt at a submission, including repetitions with its `Idempotency-Key`. */
    itemId: Id,
    organizationId: Id,
    sourceId: Id,
    origin: z.string().nullable(),
    /** Keyed hash of the client's address; the address itself never leaves the gateway. */
    ipHash: Digest,
    /** When the gateway accepted it, if it could not be passed on at once. What was accepted is no duplicate: that was checked then. */
    acceptedAt: Timestamp.optional(),
    /** Nothing is stored: it is answered as it was before, and otherwise DUPLICATE_FEEDBACK. For when the organization's quota is used up. */
    onlyAgain: z.literal(true).optional(),
    ...submissionFields,
  }),
  output: Ingested,
  errors: ['DUPLICATE_FEEDBACK', 'IDEMPOTENCY_KEY_REUSED'],
});
