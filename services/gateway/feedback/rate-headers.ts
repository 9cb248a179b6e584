import type { RateState } from './rate-window.ts';

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The fields of draft-ietf-httpapi-ratelimit-headers: `q` requests per `w` seconds; `r` are left, and more in `t` seconds. */
export function rateHeaders(rates: readonly RateState[]): Record<'RateLimit-Policy' | 'RateLimit', string> {
  return {
    'RateLimit-Policy': rates
      .map(({ name, limit, windowMs }) => `"${name}";q=${limit};w=${seconds(windowMs)}`)
      .join(', '),
    RateLimit: rates.map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${seconds(resetMs)}`).join(', '),
  };
}

/** For `Retry-After`: never so early that the same request is refused again. */
export function retryAfterSeconds(retryMs: number): number {
  return seconds(retryMs);
}
