import type { Bootstrap, Ingested } from '@worktrack/contracts/feedback/public-api';
import { type Attempts, attemptAt } from './attempt.ts';
import type { Captcha } from './captcha/captcha.ts';
import { type Failure, type Service, ServiceError, type Submission } from './service.ts';

/** After a broken connection or an overload: how long to wait before retrying the same submission. */
const RETRY_AFTER_MS: readonly number[] = [1_000, 3_000];
/** For a longer wait than this, the person decides. */
const LONGEST_SILENT_WAIT_MS = 5_000;

/** What became of a submission. Without an id, the service has it, and does not say as which item. */
export type Receipt = Ingested | { readonly id: null };

export type Progress = 'checking' | 'sending' | 'retrying';

/**
 * Delivers a submission to the service, once. Whatever can be fixed without the person is fixed: an expired token, an expired captcha solution, a
 * lost response. The last is why each submission has a key that the service recognizes: repeating it is safe.
 */
export class Submitter {
  readonly #service: Service;
  readonly #captcha: Captcha;
  #bootstrap: Promise<Bootstrap> | undefined;

  constructor(service: Service, captcha: Captcha) {
    this.#service = service;
    this.#captcha = captcha;
  }

  /** Asks the service whether this page may submit. Rejects with the refusal, and asks again the next time. */
  bootstrap(): Promise<Bootstrap> {
    this.#bootstrap ??= this.#service.bootstrap().catch((error: unknown) => {
      this.#bootstrap = undefined;
      throw error;
    });
    return this.#bootstrap;
  }

  /** Throws ServiceError if the person has to be told. */
  async submit(
    submission: Submission,
    attempts: Attempts,
    onProgress: (progress: Progress) => void = () => {},
  ): Promise<Receipt> {
    const repaired = new Set<Repair>();
    for (let retry = 0; ; ) {
      try {
        return await this.#try(submission, attempts, onProgress);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { failure } = error;
        // It has it from an attempt whose response was lost.
        if (failure.code === 'DUPLICATE_FEEDBACK' && attemptAt(submission, attempts).uncertain) return { id: null };
        const repair = repairOf(failure);
        if (repair && !repaired.has(repair)) {
          repaired.add(repair);
          if (repair === 'token') this.#bootstrap = undefined;
          if (repair === 'key') attempts.keep(undefined);
          continue;
        }
        const waitMs = silentWaitMs(failure, retry++);
        if (waitMs === undefined) throw error;
        onProgress('retrying');
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  async #try(submission: Submission, attempts: Attempts, onProgress: (progress: Progress) => void): Promise<Receipt> {
    onProgress('sending');
    const { token, config } = await this.bootstrap();
    let captchaToken: string | undefined;
    if (config.requireCaptcha) {
      onProgress('checking');
      captchaToken = await this.#captcha.token(config.captcha);
      onProgress('sending');
    }
    const attempt = attemptAt(submission, attempts);
    // Before it is sent: a reload in the middle is a lost response too.
    attempts.keep({ ...attempt, uncertain: true });
    try {
      const receipt = await this.#service.ingest(submission, { token, captchaToken }, attempt.key);
      return 'id' in receipt ? receipt : { id: null };
    } catch (error) {
      if (error instanceof ServiceError && !mayHaveArrived(error.failure)) attempts.keep(attempt);
      throw error;
    } finally {
      if (captchaToken) this.#captcha.spend();
    }
  }
}

type Repair = 'token' | 'captcha' | 'key';

/** What the widget fixes on its own, once per submission. */
function repairOf({ code, status }: Failure): Repair | undefined {
  if (code === 'WIDGET_TOKEN_EXPIRED' || code === 'WIDGET_TOKEN_INVALID') return 'token';
  // Only if the server rejected it: if it could not be solved here, solving it again is no better. A captcha that was
  // switched on since the bootstrap is in the next bootstrap's configuration.
  if (code === 'CAPTCHA_INVALID' && status > 0) return 'captcha';
  if (code === 'CAPTCHA_REQUIRED') return 'token';
  return code === 'IDEMPOTENCY_KEY_REUSED' ? 'key' : undefined;
}

/** Without an answer, or with one from something in between, it is unknown whether it was stored. */
function mayHaveArrived({ code }: Failure): boolean {
  return code === 'NETWORK' || code === 'DEADLINE_EXCEEDED' || code === 'UNAVAILABLE' || code === 'INTERNAL';
}

function silentWaitMs(failure: Failure, retry: number): number | undefined {
  const transient =
    failure.code === 'NETWORK' || failure.code === 'UNAVAILABLE' || failure.code === 'DEADLINE_EXCEEDED';
  // Without any network there is no point in trying.
  if (!transient || !navigator.onLine) return undefined;
  const ownMs = RETRY_AFTER_MS[retry];
  const askedMs = (failure.retryAfterSeconds ?? 0) * 1_000;
  return ownMs === undefined || askedMs > LONGEST_SILENT_WAIT_MS ? undefined : Math.max(ownMs, askedMs);
}
