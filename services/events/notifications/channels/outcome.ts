import type { Sent } from '../../webhooks/sending/send.ts';

const NOBODY_THERE: readonly (number | null)[] = [404, 410];

/** What became of telling something. `failed`: it may be tried again; `refused`: it is of no use. */
export type Outcome =
  | { readonly state: 'told' }
  | { readonly state: 'failed' | 'refused'; readonly why: string; readonly wishMs?: number | undefined };

/** Of a request to somebody else's server. */
export function outcomeOf({ status, error, wishMs }: Sent): Outcome {
  if (status !== null && status >= 200 && status < 300) return { state: 'told' };
  const why = error ?? `The answer was ${status}.`;
  return { state: NOBODY_THERE.includes(status) ? 'refused' : 'failed', why, wishMs };
}
