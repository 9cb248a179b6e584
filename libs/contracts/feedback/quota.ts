import { z } from 'zod';
import { operation } from '../operation.ts';

const MAX_PER_DAY = 1_000_000_000;
/** How many submissions an organization accepts within a day, over all its sources. */
export const FeedbackPerDay = z.int().min(1).max(MAX_PER_DAY);

/** The feedback service's step of `organization.show`. Neither a route nor a tool. */
export const getQuota = operation({
  name: 'quotas.get',
  summary: "Get the organization's quota of submissions.",
  permissions: ['feedback:read'],
  effect: 'read',
  input: z.strictObject({}),
  /** `null`: none. */
  output: z.object({ feedbackPerDay: FeedbackPerDay.nullable() }),
  errors: [],
});

/** The feedback service's step of `organization.update`. Neither a route nor a tool. */
export const setQuota = operation({
  name: 'quotas.set',
  summary: "Set or remove the organization's quota of submissions.",
  permissions: ['feedback:write'],
  effect: 'update',
  input: z.strictObject({ feedbackPerDay: FeedbackPerDay.nullable().optional() }),
  output: getQuota.output,
  errors: [],
});
