import { z } from 'zod';
import { ids } from '../examples.ts';
import { Id } from '../fields.ts';
import { operation } from '../operation.ts';

export const OUTCOME_DAYS = 30;

/** What became of submissions: `accepted`, or why they were refused. */
export const OUTCOMES = ['accepted', 'duplicate', 'rate', 'quota', 'captcha', 'origin', 'invalid'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const Count = z.int().min(0);
const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, Count])) as Record<Outcome, typeof Count>;
/** In UTC. */
const Day = z.iso.date();

export const sourceOutcomes = operation({
  name: 'sources.outcomes',
  summary:
    'Count the outcomes of submissions to a source on each of the last 30 days (UTC) that had any, newest first. `origin` includes forms that a page was not allowed to open.',
  permissions: ['feedback:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: z.object({ days: z.array(z.object({ day: Day, ...counts })) }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.source },
    output: {
      days: [{ day: '2026-03-02', accepted: 41, duplicate: 2, rate: 0, quota: 0, captcha: 1, origin: 0, invalid: 3 }],
    },
  },
  rest: 'GET /api/feedback/sources/:id/outcomes',
});

export const MAX_COUNTS_PER_REPORT = 500;

export const recordOutcomes = operation({
  name: 'outcomes.record',
  summary: 'Add what a gateway has counted since its last report. Public keys that no source has are left out.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({
    counts: z
      .array(z.strictObject({ publicKey: z.string(), day: Day, ...counts }))
      .min(1)
      .max(MAX_COUNTS_PER_REPORT),
  }),
  output: z.object({}),
  errors: [],
});
