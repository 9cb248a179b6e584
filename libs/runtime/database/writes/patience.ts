const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/**
 * How long to wait before retrying a write that met others. Hardly at all at first: within one process, those that write the same thing go one after the other
 * anyway. Longer, and random, if that does not help, since then the conflict is with other replicas.
 * @param attempt how many there were
 */
export function patienceMs(attempt: number): number {
  if (attempt <= 2) return 0;
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 2));
}
