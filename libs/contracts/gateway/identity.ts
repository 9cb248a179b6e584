import { z } from 'zod';
import { exampleKey, ids } from '../examples.ts';
import { Identity } from '../keys/identity.ts';
import { operation } from '../operation.ts';

export const me = operation({
  name: 'identity.me',
  summary: 'Show the user, organization and permissions behind the key.',
  permissions: [],
  effect: 'read',
  input: z.strictObject({}),
  output: Identity,
  errors: [],
  example: {
    input: {},
    output: {
      user: { id: ids.user, name: 'Ada', email: 'ada@example.com', role: 'owner' },
      organization: { id: ids.organization, name: 'Example' },
      permissions: exampleKey.permissions,
      projects: null,
      key: { id: ids.key, name: 'CI', prefix: exampleKey.prefix },
    },
  },
  rest: 'GET /api/me',
});
