import { createHash } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { CaptchaVerifier, Presented } from '@worktrack/runtime/captcha/verifier';
import { timeoutBy } from '@worktrack/runtime/process/timeout';
import { z } from 'zod';

/** The providers' endpoints; they speak the same protocol. */
export const SITEVERIFY_URLS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
} as const;

const VERIFY_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;
/** Our fault, not the visitor's: a secret or site key that the provider does not accept, or an error on the provider's side. */
const OUR_FAULTS = [
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'invalid-or-already-seen-secret',
  'bad-request',
  'internal-error',
];

const Verdict = z.object({
  success: z.boolean(),
  /** Of the page that the captcha was solved on. */
  hostname: z.string().nullish(),
  /** 0 to 1, if the provider scores (reCAPTCHA v3). */
  score: z.number().nullish(),
  'error-codes': z.array(z.string()).nullish(),
});

export interface SiteverifySettings {
  readonly url: string;
  readonly secret: string;
  /** Lower scores do not pass. */
  readonly minScore: number;
  readonly timeoutMs?: number;
}

/**
 * Asks Turnstile, hCaptcha or reCAPTCHA. They get the token and our secret, and nothing else about the visitor. A missing, late or
 * unreadable response, or one that blames them or our settings, is UNAVAILABLE.
 */
export class Siteverify implements CaptchaVerifier {
  readonly #settings: SiteverifySettings;

  constructor(settings: SiteverifySettings) {
    this.#settings = settings;
  }

  solutionId(token: string): string {
    return createHash('sha256').update(token).digest('base64url');
  }

  async verify({ token, origin, deadlineAtMs, log }: Presented): Promise<boolean> {
    const { success, hostname, score, 'error-codes': errorCodes } = await this.#ask(token, deadlineAtMs, log);
    if (!success) {
      if (errorCodes?.some((code) => OUR_FAULTS.includes(code))) {
        log.error({ errorCodes }, 'The captcha verifier rejects our settings or has an error of its own');
        throw unavailable();
      }
      return false;
    }
    if (score !== null && score !== undefined && score < this.#settings.minScore) return false;
    // A solution made on somebody else's page proves nothing about a visitor of this one.
    const expected = origin === null ? undefined : URL.parse(origin)?.hostname;
    return !hostname || !expected || bare(hostname) === bare(expected);
  }

  async #ask(token: string, deadlineAtMs: number, log: Presented['log']): Promise<z.infer<typeof Verdict>> {
    const { url, secret, timeoutMs = VERIFY_TIMEOUT_MS } = this.#settings;
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: new URLSearchParams({ secret, response: token }),
        signal: timeoutBy(deadlineAtMs, timeoutMs),
        redirect: 'error',
      });
      if (!response.ok) throw new Error(`The captcha verifier answered ${response.status}.`);
      return Verdict.parse(await response.json());
    } catch (error) {
      log.error({ error }, 'The captcha verifier is unavailable');
      throw unavailable();
    }
  }
}

function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function unavailable(): OperationError {
  return new OperationError('UNAVAILABLE', 'The captcha cannot be verified at the moment. Send the feedback again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
