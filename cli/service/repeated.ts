import { setTimeout as delay } from 'node:timers/promises';

/** A service that restarts is back within seconds. */
export const ATTEMPTS = 3;
export const LONGEST_DELAY_SECONDS = 5;
export const MAY_SUCCEED_LATER: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Repeats what may succeed later.
 * @param ask resolves to the response, or to what `fetch` threw
 * @returns the last of these
 */
export async function repeated(ask: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    const isResponse = answer instanceof Response;
    const isFinal = isResponse ? !MAY_SUCCEED_LATER.has(answer.status) : isNobodyThere(answer);
    if (isFinal || attempt === ATTEMPTS) return answer;
    const afterSeconds = isResponse ? Number(answer.headers.get('retry-after') ?? attempt) : attempt;
    if (isResponse) await answer.body?.cancel();
    await delay(Math.min(Number.isFinite(afterSeconds) ? afterSeconds : attempt, LONGEST_DELAY_SECONDS) * 1_000);
  }
}

/** There is no such service, and asking again will not change that. */
function isNobodyThere(error: unknown): boolean {
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { readonly code?: string };
  return code === undefined ? !(error instanceof DOMException) : ['ECONNREFUSED', 'ENOTFOUND'].includes(code);
}
