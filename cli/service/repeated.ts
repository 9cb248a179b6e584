import { setTimeout as delay } from 'node:timers/promises';
import { printProblem } from '../output.ts';

/** A service that restarts is back within seconds. */
export const ATTEMPTS = 3;
const LONGEST_DELAY_SECONDS = 5;
/** A key's rate is of a minute unless it was given another. What is over later, such as a quota of a day, is told at once. */
export const LONGEST_WAIT_SECONDS = 60;
export const TOO_MANY_REQUESTS = 429;
export const MAY_SUCCEED_LATER: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Repeats what may succeed later.
 * @param ask resolves to the response, or to what `fetch` threw
 * @returns the last of these
 */
export async function repeated(ask: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    const pauseSeconds = attempt < ATTEMPTS ? pauseAfter(answer, attempt) : undefined;
    if (pauseSeconds === undefined) return answer;
    if (answer instanceof Response) {
      await answer.body?.cancel();
      if (answer.status === TOO_MANY_REQUESTS) {
        printProblem(`Too many requests: trying again in ${pauseSeconds} s, as the service asks.`);
      }
    }
    await delay(pauseSeconds * 1_000);
  }
}

/** @returns undefined if asking again changes nothing, or only much later */
function pauseAfter(answer: unknown, attempt: number): number | undefined {
  if (!(answer instanceof Response)) return isNobodyThere(answer) ? undefined : attempt;
  const asked = Number(answer.headers.get('retry-after') ?? attempt);
  const seconds = Number.isFinite(asked) ? asked : attempt;
  if (answer.status === TOO_MANY_REQUESTS) return seconds <= LONGEST_WAIT_SECONDS ? seconds : undefined;
  return MAY_SUCCEED_LATER.has(answer.status) ? Math.min(seconds, LONGEST_DELAY_SECONDS) : undefined;
}

/** There is no such service, and asking again will not change that. */
function isNobodyThere(error: unknown): boolean {
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { readonly code?: string };
  return code === undefined ? !(error instanceof DOMException) : ['ECONNREFUSED', 'ENOTFOUND'].includes(code);
}
