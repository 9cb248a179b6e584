export interface TimeWindow {
  /** Inclusive; -Infinity: from the beginning. */
  readonly fromMs: number;
  /** Exclusive; Infinity: without an end. */
  readonly beforeMs: number;
}

/** A busy inbox has a page of items in a second or so; a quiet one is reached in a handful of steps. */
const FIRST_WINDOW_MS = 1_000;
const WIDENING = 16;
/** Some 34 years: beyond it there is nothing to be gained by another step. */
const LAST_WINDOW_MS = FIRST_WINDOW_MS * WIDENING ** 7.5;

/**
 * Cuts the time from `beforeMs` back to `fromMs` into windows, newest first, each so much longer than the one before that few are
 * needed to reach the beginning, and a page that is full early has read little.
 */
export function* timeWindows(beforeMs: number, fromMs: number, nowMs: number): Generator<TimeWindow> {
  let endMs = beforeMs;
  let widthMs = FIRST_WINDOW_MS;
  while (endMs > fromMs) {
    const startMs = Math.min(endMs, nowMs) - widthMs;
    const last = widthMs > LAST_WINDOW_MS || startMs <= fromMs;
    yield { fromMs: last ? fromMs : startMs, beforeMs: endMs };
    if (last) return;
    endMs = startMs;
    widthMs *= WIDENING;
  }
}
