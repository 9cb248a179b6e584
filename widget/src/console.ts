import type { Failure } from './service.ts';
import type { Settings } from './settings.ts';

/** What a developer has to do about a failure. The person is told in their own words, in the form. */
const ADVICE: Partial<Record<Failure['code'], (settings: Settings) => string>> = {
  ORIGIN_NOT_ALLOWED: () =>
    `Add "${location.origin}" to the allowed domains of this source: \`worktrack source update <id> --domain …\`, or PATCH /api/feedback/sources/<id> with { "allowedDomains": [ … ] }.`,
  SOURCE_NOT_FOUND: ({ publicKey, baseUrl }) =>
    `There is no enabled source with data-public-key="${publicKey}" at ${baseUrl}. Compare the key with \`worktrack source list\`.`,
  NETWORK: ({ baseUrl }) =>
    `Either the service is unavailable, or this page may not talk to it: a Content-Security-Policy needs connect-src ${new URL(baseUrl).origin}.`,
  CAPTCHA_REQUIRED: () => 'The solver did not run; see the messages above.',
  RATE_LIMITED: () => 'The limits are those of the source (rateLimit: perIp, perSource, windowSeconds).',
};

export function warn(text: string): void {
  console.warn(`[worktrack feedback] ${text}`);
}

export function explain(failure: Failure, settings: Settings): void {
  const advice = ADVICE[failure.code]?.(settings);
  const details = failure.details.map(({ path, message }) => `\n  ${path}: ${message}`).join('');
  const request = failure.requestId ? ` Request id: ${failure.requestId}.` : '';
  console.error(
    `[worktrack feedback] ${failure.code}: ${failure.message}${details}${advice ? `\n${advice}` : ''}${request}`,
  );
}
