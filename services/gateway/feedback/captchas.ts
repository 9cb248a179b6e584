import { OperationError } from '@worktrack/contracts/errors';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { verifyCaptcha } from '@worktrack/contracts/feedback/intake';
import type { Bootstrap, CaptchaChallenge } from '@worktrack/contracts/feedback/public-api';
import type { RawInput } from '@worktrack/contracts/operation';
import type { CallOptions, Log, ServiceClient } from '@worktrack/rpc/types';
import { acceptSolution } from '@worktrack/runtime/captcha/accept';
import { Altcha } from '@worktrack/runtime/captcha/altcha';
import { SpentSolutions } from '@worktrack/runtime/captcha/spent-solutions';
import type { Redis } from '@worktrack/runtime/redis/connection';
import type { FeedbackSettings } from './settings.ts';
import { isAway } from './spool/lane.ts';
import { MAX_WAIT_BEFORE_SPOOLING_MS, type Spool } from './spool/spool.ts';

interface CaptchaNeeds {
  readonly feedback: ServiceClient<typeof feedbackContract>;
  readonly settings: FeedbackSettings;
  readonly redis: Redis;
  readonly log: Log;
  readonly spool: Spool | undefined;
}

type Options = CallOptions & { readonly deadlineMs: number };

/**
 * The feedback service gives out challenges and verifies solutions. While it is away, a gateway with a spool does both itself for the proof of work, which
 * needs no other party. It uses the same keys, and the same record of used solutions in Redis.
 */
export class Captchas {
  readonly #feedback: ServiceClient<typeof feedbackContract>;
  readonly #log: Log;
  readonly #spool: Spool | undefined;
  readonly #altcha: Altcha | undefined;
  readonly #spent: SpentSolutions;

  constructor({ feedback, settings, redis, log, spool }: CaptchaNeeds) {
    this.#feedback = feedback;
    this.#log = log;
    this.#spool = spool;
    if (spool && settings.CAPTCHA_PROVIDER === 'altcha')
      this.#altcha = new Altcha(settings.WIDGET_TOKEN_SECRETS, settings);
    this.#spent = new SpentSolutions(redis, log);
  }

  challenge(sourceId: string, options: Options): Promise<CaptchaChallenge> {
    return this.#orSelf(
      options,
      (bounded) => this.#feedback.call('captcha.challenge', { sourceId }, bounded),
      (altcha) => altcha.challenge(sourceId),
    );
  }

  /** @throws OperationError CAPTCHA_INVALID; UNAVAILABLE if nobody can tell */
  async verify(given: RawInput<typeof verifyCaptcha>, options: Options): Promise<void> {
    const { itemId, sourceId, origin, captchaToken: token } = given;
    const presented = { token, sourceId, origin, deadlineAtMs: Date.now() + options.deadlineMs, log: this.#log };
    await this.#orSelf<unknown>(
      options,
      (bounded) => this.#feedback.call('captcha.verify', given, bounded),
      (altcha) => acceptSolution(altcha, this.#spent, itemId, presented),
    );
  }

  async #orSelf<T>(
    options: Options,
    asked: (options: Options) => Promise<T>,
    self: (altcha: Altcha) => Promise<T>,
  ): Promise<T> {
    const altcha = this.#altcha;
    if (!altcha) return await asked(options);
    if (this.#spool?.isAway) return await self(altcha);
    try {
      return await asked({ ...options, deadlineMs: Math.min(options.deadlineMs, MAX_WAIT_BEFORE_SPOOLING_MS) });
    } catch (error) {
      if (!isAway(error)) throw error;
      return await self(altcha);
    }
  }
}

/** What a page has to show. */
export function captchaConfig(settings: FeedbackSettings, challengePath: string): Bootstrap['config']['captcha'] {
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey } = settings;
  if (provider === 'altcha') return { provider, challengePath };
  if (!siteKey) throw new Error(`CAPTCHA_SITE_KEY: is missing; ${provider} needs it in the page.`);
  return { provider, siteKey };
}

export function captchaRequired(): OperationError {
  return new OperationError(
    'CAPTCHA_REQUIRED',
    'This source requires a captcha: solve one and send its solution as captchaToken. The bootstrap response says which.',
  );
}
