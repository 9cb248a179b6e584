const DATE_LENGTH = 'YYYY-MM-DD'.length;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The start of a day (UTC), or the point in time. */
export function startOf(dayOrTime: string): Date {
  return new Date(dayOrTime);
}

/** The exclusive end: a day is included completely. */
export function endOf(dayOrTime: string): Date {
  const start = startOf(dayOrTime);
  return dayOrTime.length === DATE_LENGTH ? new Date(start.getTime() + DAY_MS) : start;
}
