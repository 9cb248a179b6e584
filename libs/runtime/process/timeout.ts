/** Aborts at a deadline (`Date.now()`), and after `timeoutMs` at the latest. */
export function timeoutBy(deadlineAtMs: number, timeoutMs: number): AbortSignal {
  // Deadlines of calls have fractions, and AbortSignal.timeout throws on them.
  return AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(timeoutMs, deadlineAtMs - Date.now()))));
}
