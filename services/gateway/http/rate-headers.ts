import { OperationError } from '@worktrack/contracts/errors';

/** A limit and how much of it is left. */
export interface Rate {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Time until more of it is available. */
  readonly resetMs: number;
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The fields of draft-ietf-httpapi-ratelimit-headers: `q` requests per `w` seconds; `r` are left, and more in `t` seconds. */
export function rateHeaders(rates: readonly Rate[]): Record<'RateLimit-Policy' | 'RateLimit', string> {
  return {
    'RateLimit-Policy': rates
      .map(({ name, limit, windowMs }) => `"${name}";q=${limit};w=${seconds(windowMs)}`)
      .join(', '),
    RateLimit: rates.map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${seconds(resetMs)}`).join(', '),
  };
}

/** @param what exceeds the limit, as a sentence */
export function tooMany(what: string, retryMs: number): OperationError {
  // Never so early that the same request is refused again.
  const retryAfterSeconds = seconds(retryMs);
  return new OperationError('RATE_LIMITED', `${what} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
