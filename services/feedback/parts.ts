import type { CaptchaProvider } from '@worktrack/contracts/feedback/public-api';
import type { Log } from '@worktrack/rpc/types';
import { Altcha, type AltchaSettings } from '@worktrack/runtime/captcha/altcha';
import { SpentSolutions } from '@worktrack/runtime/captcha/spent-solutions';
import { type KeyRing, subkeys } from '@worktrack/runtime/process/key-ring';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { Duplicates } from '@worktrack/runtime/redis/duplicates';
import { SITEVERIFY_URLS, Siteverify } from './captcha/siteverify.ts';
import type { Parts } from './handlers.ts';
import { Cursors } from './items/cursor.ts';

export interface PartSettings extends AltchaSettings {
  readonly WIDGET_TOKEN_SECRETS: KeyRing;
  readonly CAPTCHA_PROVIDER: CaptchaProvider;
  readonly CAPTCHA_SECRET_KEY?: string | undefined;
  readonly CAPTCHA_VERIFY_URL?: string | undefined;
  readonly CAPTCHA_MIN_SCORE: number;
}

/** Creates what the handlers need, from the settings. */
export function assemble(settings: PartSettings, redis: Redis, log: Log): Parts {
  const { CAPTCHA_PROVIDER: provider, WIDGET_TOKEN_SECRETS: ring } = settings;
  const shared = {
    cursors: new Cursors(subkeys(ring, 'inbox cursor')),
    duplicates: new Duplicates(redis, log),
    spent: new SpentSolutions(redis, log),
  };
  if (provider === 'altcha') {
    const altcha = new Altcha(ring, settings);
    return { ...shared, verifier: altcha, altcha };
  }
  const verifier = new Siteverify({
    url: settings.CAPTCHA_VERIFY_URL ?? SITEVERIFY_URLS[provider],
    secret: settings.CAPTCHA_SECRET_KEY ?? '',
    minScore: settings.CAPTCHA_MIN_SCORE,
  });
  return { ...shared, verifier, altcha: undefined };
}
