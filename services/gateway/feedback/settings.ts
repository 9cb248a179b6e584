import { CAPTCHA_PROVIDERS } from '@worktrack/contracts/feedback/public-api';
import { MAX_RATE, MAX_RATE_WINDOW_SECONDS } from '@worktrack/contracts/feedback/records';
import { altchaSettings } from '@worktrack/runtime/captcha/altcha';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { z } from 'zod';

const MIN_SECRET_LENGTH = 32;
const rate = (byDefault: number) => z.coerce.number().int().min(1).max(MAX_RATE).default(byDefault);

/** The part of the gateway's settings that the public intake needs. */
export const feedbackSettings = {
  /** `<key id>:<secret>[,…]`: the first signs widget tokens, all verify, so that a secret can be changed without a refusal. */
  WIDGET_TOKEN_SECRETS: keyRingSetting,
  /** Keys the hashes of senders' addresses. Changing it makes them look like different clients. */
  IP_HASH_SECRET: z
    .string({ error: `is missing; set a random secret of at least ${MIN_SECRET_LENGTH} characters` })
    .min(MIN_SECRET_LENGTH, `must be a random secret of at least ${MIN_SECRET_LENGTH} characters`),
  /** For challenges while the feedback service cannot be asked for them. */
  ...altchaSettings,
  CAPTCHA_PROVIDER: z.enum(CAPTCHA_PROVIDERS).default('altcha'),
  /** For turnstile, hcaptcha and recaptcha: used by their script in the page. */
  CAPTCHA_SITE_KEY: z.string().optional(),
  /** For sources without their own limits, and for public keys that name no source. */
  FEEDBACK_RATE_PER_IP: rate(10),
  FEEDBACK_RATE_PER_SOURCE: rate(600),
  /** For bootstraps and challenges, per client and source. */
  FEEDBACK_BOOTSTRAP_RATE_PER_IP: rate(60),
  /** Malformed requests per address and minute. Beyond that they are refused before their body is read. */
  FEEDBACK_REFUSALS_PER_IP: rate(300),
  /** How many public requests each gateway handles at once while calls with API keys come in; see bulkhead.ts. */
  FEEDBACK_CONCURRENCY_BESIDE_CALLS: z.coerce.number().int().min(1).default(8),
  /** Where submissions wait that cannot be stored at the moment. Without it they are refused with 503. */
  FEEDBACK_SPOOL_DIR: z.string().optional(),
  FEEDBACK_SPOOL_MAX_MIB: z.coerce.number().int().min(1).default(256),
  FEEDBACK_RATE_WINDOW_SECONDS: z.coerce.number().int().min(1).max(MAX_RATE_WINDOW_SECONDS).default(60),
};

export type FeedbackSettings = z.output<z.ZodObject<typeof feedbackSettings>>;
