import type { Fail } from '@worktrack/contracts/errors';
import { DEFAULT_KEY_RATE, type KeyRate } from '@worktrack/contracts/keys/records';

/**
 * Nobody gives more than they hold: in no window may a new key make more requests than the key that creates it. A key at the default rate, which nobody
 * has limited on purpose, may give any.
 */
export function rateWithin(
  maker: KeyRate,
  wanted: KeyRate | undefined,
  { fail }: { readonly fail: Fail<'PERMISSION_DENIED'> },
): KeyRate {
  const isLimited = maker.requests > 0 && !isSame(maker, DEFAULT_KEY_RATE);
  const rate = wanted ?? DEFAULT_KEY_RATE;
  if (!isLimited || isWithin(maker, rate)) return rate;
  if (!wanted) return maker;
  const message = `must be within ${maker.requests} requests in ${maker.windowSeconds} s, the rate of your key`;
  throw fail('PERMISSION_DENIED', `rateLimit ${message}.`, { details: [{ path: 'rateLimit', message }] });
}

function isWithin(maker: KeyRate, { requests, windowSeconds }: KeyRate): boolean {
  return requests > 0 && requests <= maker.requests * Math.min(1, windowSeconds / maker.windowSeconds);
}

const isSame = (one: KeyRate, other: KeyRate) =>
  one.requests === other.requests && one.windowSeconds === other.windowSeconds;
