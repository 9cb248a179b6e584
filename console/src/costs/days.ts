export const DAY_MS = 24 * 60 * 60_000;
/** A chart that starts before the first session shows how long nothing was used, up to this many days. */
export const MAX_EMPTY_DAYS = 400;

/** Days in UTC, both included, as usage is counted. `from` undefined: since the beginning. */
export interface Period {
  readonly from: string | undefined;
  readonly to: string;
}

export const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Every day of a period, including those on which nothing was used: a chart over time has no gaps. @param used in order */
export function daysOf({ from, to }: Period, used: readonly string[]): readonly string[] {
  const first = used[0] ?? to;
  const isNear = from !== undefined && Date.parse(first) - Date.parse(from) <= MAX_EMPTY_DAYS * DAY_MS;
  const days: string[] = [];
  for (let ms = Date.parse(isNear ? from : first); ms <= Date.parse(to); ms += DAY_MS) days.push(dateOf(ms));
  return days;
}
