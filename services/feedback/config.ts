import { CAPTCHA_PROVIDERS } from '@worktrack/contracts/feedback/public-api';
import { altchaSettings } from '@worktrack/runtime/captcha/altcha';
import {
  databaseSettings,
  loadConfig,
  processSettings,
  rabbitmqSettings,
  redisSettings,
} from '@worktrack/runtime/process/config';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { eventSecrets, requestSecrets } from '@worktrack/runtime/process/request-signers';
import { z } from 'zod';

export const settings = {
  ...processSettings,
  ...rabbitmqSettings,
  ...requestSecrets.feedback,
  ...eventSecrets,
  ...redisSettings,
  ...databaseSettings,
  /** Signs captcha challenges and cursors here (by keys derived from it), and widget tokens in the gateway. */
  WIDGET_TOKEN_SECRETS: keyRingSetting,
  CAPTCHA_PROVIDER: z.enum(CAPTCHA_PROVIDERS).default('altcha'),
  /** For turnstile, hcaptcha and recaptcha. */
  CAPTCHA_SECRET_KEY: z.string().optional(),
  /** Instead of the provider's own, for a proxy in between. */
  CAPTCHA_VERIFY_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  /** For providers that score, from 0 (a robot) to 1. */
  CAPTCHA_MIN_SCORE: z.coerce.number().min(0).max(1).default(0.5),
  ...altchaSettings,
};

export function config() {
  const loaded = loadConfig(settings);
  if (loaded.CAPTCHA_PROVIDER !== 'altcha' && !loaded.CAPTCHA_SECRET_KEY) {
    console.error(`CAPTCHA_SECRET_KEY: is missing; ${loaded.CAPTCHA_PROVIDER} needs it`);
    process.exit(78); // EX_CONFIG of sysexits.h
  }
  return loaded;
}
