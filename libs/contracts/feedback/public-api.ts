import { z } from 'zod';
import { RecordId, Timestamp } from '../fields.ts';
import { SourceType } from './records.ts';
import { submissionFields } from './submission.ts';

/**
 * The public endpoints, which take no API key: what the gateway checks, the widget speaks and the OpenAPI document shows.
 * They are not operations: the gateway handles origin, CORS and widget token; `feedback.ingest` is what remains.
 */
const MAX_PUBLIC_KEY_LENGTH = 100;
const MAX_TOKEN_LENGTH = 2_048;
/** Google's tokens are the longest of the supported kinds, and have no documented limit. */
export const MAX_CAPTCHA_TOKEN_LENGTH = 16_384;

export const CAPTCHA_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'recaptcha'] as const;
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number];

const PublicKey = z.string().min(1).max(MAX_PUBLIC_KEY_LENGTH);

/** Query of `GET /feedback/widget/bootstrap` and `GET /feedback/widget/challenge`. */
export const PublicKeyQuery = z.strictObject({ publicKey: PublicKey });

export const Bootstrap = z.object({
  source: z.object({ publicKey: z.string(), type: SourceType, name: z.string() }),
  token: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.int(),
  config: z.object({
    requireCaptcha: z.boolean(),
    /** Only with `requireCaptcha`: how to get a `captchaToken`. */
    captcha: z
      .object({
        provider: z.enum(CAPTCHA_PROVIDERS),
        /** altcha: where to fetch a challenge, relative to the base address. */
        challengePath: z.string().optional(),
        /** The others: the site key for their script. */
        siteKey: z.string().optional(),
      })
      .optional(),
  }),
});
export type Bootstrap = z.infer<typeof Bootstrap>;

/** Body of `POST /feedback/ingest`. */
export const IngestBody = z.strictObject({
  publicKey: PublicKey,
  token: z.string().max(MAX_TOKEN_LENGTH),
  ...submissionFields,
  /** altcha: base64 of `{ challenge, solution }` as JSON, as altcha's own widget produces it. Otherwise the provider's response token. */
  captchaToken: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.string().max(MAX_CAPTCHA_TOKEN_LENGTH).optional(),
  ),
});
export type IngestBody = z.infer<typeof IngestBody>;

/** `data` of the 201. */
export const Ingested = z.object({ id: RecordId, status: z.string(), createdAt: Timestamp });
export type Ingested = z.infer<typeof Ingested>;

/** `data` of a 202: it will be stored, with this moment as its `createdAt`, once the parts of the service that do so are back. */
export const Accepted = z.object({ status: z.literal('accepted') });
export type Accepted = z.infer<typeof Accepted>;

/** `data` of the challenge endpoint: an altcha challenge (version 2), to be solved with `altcha-lib` or altcha's widget. */
export const CaptchaChallenge = z.object({
  parameters: z.looseObject({ algorithm: z.string(), expiresAt: z.number().optional() }),
  signature: z.string(),
});
export type CaptchaChallenge = z.infer<typeof CaptchaChallenge>;
