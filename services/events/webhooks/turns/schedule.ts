const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays before the next attempt: those of Standard Webhooks 1.0, "Deliverability and reliability". */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
/** Jitter, so that what failed together is not retried together. */
const MAX_JITTER = 0.1;
const LONGEST_WISH_MS = 24 * HOUR_MS;

/** How long a failing endpoint is left alone between two attempts of anything to be sent to it: a tenth of the time for which it has failed. */
const SHORTEST_ENDPOINT_PAUSE_MS = SECOND_MS;
const LONGEST_ENDPOINT_PAUSE_MS = 30 * SECOND_MS;
const PAUSE_PER_FAILING = 0.1;

/** How long later events of a subject wait for an earlier one that is being retried. */
export const HOLD_MS = 5 * MINUTE_MS;
/** An endpoint that does nothing but fail for this long is disabled. */
export const FAILING_MS = 5 * 24 * HOUR_MS;

/**
 * @param attempts so far, at least one
 * @param wishMs what the endpoint asked for: its `Retry-After`
 * @param chance from 0 to 1
 * @returns time until the next attempt; undefined: there is none
 */
export function pauseMs(attempts: number, wishMs = 0, chance = Math.random()): number | undefined {
  const pause = RETRY_AFTER_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause * (1 + MAX_JITTER * chance), Math.min(wishMs, LONGEST_WISH_MS)));
}

/** @param failingMs since the first of the failures with no success among them */
export function endpointPauseMs(failingMs: number): number {
  return Math.min(LONGEST_ENDPOINT_PAUSE_MS, Math.max(SHORTEST_ENDPOINT_PAUSE_MS, failingMs * PAUSE_PER_FAILING));
}
