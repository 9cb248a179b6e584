import { z } from 'zod';
import { Identity } from '../keys/identity.ts';
import { operation } from '../operation.ts';

export const me = operation({
  name: 'identity.me',
  summary: 'Show the user, the organization and the permissions that the key speaks for.',
  permission: 'authenticated',
  effect: 'read',
  input: z.strictObject({}),
  output: Identity,
  errors: [],
  rest: 'GET /api/me',
});
