import type { MailTimes, QuietHours } from '@worktrack/contracts/events/notifications';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;
const DIGEST_AT = '08:00';

interface Wishes {
  readonly times: Exclude<MailTimes, 'off'>;
  readonly quietHours: QuietHours | null | undefined;
}

/**
 * When what has been untold since `sinceMs` is told: not before `nowMs`, and at the end of quiet hours if it falls into them. A daily digest goes by the clocks of the
 * quiet hours' time zone, without one by UTC.
 */
export function tellAtMs({ times, quietHours }: Wishes, sinceMs: number, nowMs: number): number {
  const dueMs = times === 'hourly' ? sinceMs + HOUR_MS : times === 'daily' ? digestAfter(sinceMs, quietHours) : sinceMs;
  const atMs = Math.max(dueMs, nowMs);
  return quietHours && isWithin(quietHours, atMs) ? nextTime(quietHours.to, quietHours.timeZone, atMs) : atMs;
}

const digestAfter = (ms: number, quietHours: Wishes['quietHours']) =>
  nextTime(DIGEST_AT, quietHours?.timeZone ?? 'UTC', ms);

function isWithin({ from, to, timeZone }: QuietHours, ms: number): boolean {
  const [begin, end, now] = [minuteOf(from), minuteOf(to), minuteAt(ms, timeZone)];
  return begin < end ? begin <= now && now < end : begin <= now || now < end;
}

/** The next time after a moment at which clocks there show `time`; where they skip it that day, as far after the skip. */
function nextTime(time: string, timeZone: string, afterMs: number): number {
  const minute = minuteOf(time);
  const fromMs = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS;
  const ahead = (minute - minuteAt(fromMs, timeZone) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const guessMs = fromMs + ahead * MINUTE_MS;
  // The clocks may be changed in between: summer time.
  const off = ((minuteAt(guessMs, timeZone) - minute + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
  const correctedMs = guessMs - off * MINUTE_MS;
  return correctedMs > afterMs && minuteAt(correctedMs, timeZone) === minute ? correctedMs : guessMs;
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function minuteAt(ms: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return minuteOf(clock.format(ms));
}
