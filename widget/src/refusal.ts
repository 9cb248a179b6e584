import type { Strings } from './locales/strings.ts';
import type { Failure } from './service.ts';

type Words = keyof Strings['failures'];

/** Which message a person sees for a refusal; anything else is `rejected`. */
const WORDS: Partial<Record<Failure['code'], Words>> = {
  CAPTCHA_REQUIRED: 'captcha',
  CAPTCHA_INVALID: 'captcha',
  ORIGIN_NOT_ALLOWED: 'origin',
  SOURCE_NOT_FOUND: 'source',
  DUPLICATE_FEEDBACK: 'duplicate',
  RATE_LIMITED: 'rateLimited',
  PAYLOAD_TOO_LARGE: 'tooLarge',
  NETWORK: 'network',
  UNAVAILABLE: 'unavailable',
  DEADLINE_EXCEEDED: 'unavailable',
  INTERNAL: 'unavailable',
  WIDGET_TOKEN_INVALID: 'unavailable',
  WIDGET_TOKEN_EXPIRED: 'unavailable',
};

export function wordsFor(code: Failure['code'], strings: Strings): string {
  return strings.failures[WORDS[code] ?? 'rejected'];
}

/** Worth sending again unchanged. */
export function isTransient(code: Failure['code']): boolean {
  const words = WORDS[code];
  return words === 'network' || words === 'unavailable' || words === 'captcha';
}

/** Nothing went wrong: what the person wanted to say has arrived. */
export function isNote(code: Failure['code']): boolean {
  return WORDS[code] === 'duplicate';
}
