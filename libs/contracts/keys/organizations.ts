import { z } from 'zod';
import { Id } from '../fields.ts';
import { operation } from '../operation.ts';
import { CreatedApiKey, Email, KeyRateInput, Name, Organization, User } from './records.ts';

/** What operators are shown of an organization that they gave a key. */
const WithKey = z.object({ organization: Organization, user: User, apiKey: CreatedApiKey });

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
  output: WithKey,
  errors: [],
});

/** For operators: each of its keys was lost or revoked, or has ended, and only keys make others. */
export const createOwnerKey = operation({
  name: 'organizations.createOwnerKey',
  summary: 'Give an owner of an organization an API key, when nobody there has one any more.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({
    organizationId: Id,
    /** Of one of several owners. */
    ownerEmail: Email.optional(),
  }),
  output: WithKey,
  errors: ['NOT_FOUND', 'CONFLICT'],
});
