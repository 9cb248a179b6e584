import { z } from 'zod';
import { ids } from '../examples.ts';
import { FeedbackPerDay } from '../feedback/quota.ts';
import { RecordId } from '../fields.ts';
import { operation } from '../operation.ts';

const OrganizationSettings = z.object({
  id: RecordId,
  name: z.string(),
  /** How many submissions it accepts within a day, over all its sources; `null`: as many as come. */
  feedbackPerDay: FeedbackPerDay.nullable(),
});

export const showOrganization = operation({
  name: 'organization.show',
  summary: 'Show the organization and its settings.',
  permissions: ['feedback:read'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({}),
  output: OrganizationSettings,
  errors: ['PERMISSION_DENIED'],
  example: { input: {}, output: { id: ids.organization, name: 'Example', feedbackPerDay: null } },
  rest: 'GET /api/organization',
});

export const updateOrganization = operation({
  name: 'organization.update',
  summary:
    "Change the organization's settings. A quota of submissions takes effect on the public endpoints within two seconds, and includes earlier submissions of the current day.",
  permissions: ['feedback:write'],
  roles: ['owner', 'admin'],
  ofOrganization: true,
  effect: 'update',
  input: z.strictObject({ feedbackPerDay: FeedbackPerDay.nullable().optional() }),
  output: OrganizationSettings,
  errors: ['PERMISSION_DENIED'],
  example: {
    input: { feedbackPerDay: 10_000 },
    output: { id: ids.organization, name: 'Example', feedbackPerDay: 10_000 },
  },
  rest: 'PATCH /api/organization',
});
