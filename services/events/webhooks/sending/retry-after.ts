const SECOND_MS = 1_000;

/** @returns the pause that a `Retry-After` header asks for (RFC 9110, 10.2.3), in seconds or by a date; undefined for anything else */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
