import { timed } from '../clock.ts';
import { dateAndTime, fromNow } from '../language/format.ts';

/** “3 hours ago”, and the exact time on hover. @param at ISO 8601 */
export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={dateAndTime(at)}>
      {timed((nowMs) => fromNow(at, nowMs))}
    </time>
  );
}
