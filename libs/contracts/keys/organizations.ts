import { z } from 'zod';
import { operation } from '../operation.ts';
import { CreatedApiKey, Email, KeyRateInput, Name, Organization, User } from './records.ts';

export const createOrganization = operation({
  name: 'organizations.create',
  summary: 'Create an organization with its owner and the first API key.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    name: Name,
    ownerEmail: Email,
    /** Default: the part of the address before the `@`. */
    ownerName: Name.optional(),
    keyName: Name.default('First key'),
    /** The first key's. */
    keyRateLimit: KeyRateInput.optional(),
  }),
  output: z.object({ organization: Organization, user: User, apiKey: CreatedApiKey }),
  errors: [],
});
