import { z } from 'zod';
import { times } from '../examples.ts';
import { Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

export const Health = z.object({
  /** The services and servers, as this gateway finds them. `degraded`: it works without. */
  components: z.array(
    z.object({ name: z.string(), state: z.enum(['ok', 'degraded', 'missing']), detail: z.string().nullable() }),
  ),
  /** Messages that wait. `consumers` of a queue that should be read are at least 1; nobody reads dead letters. */
  queues: z.array(z.object({ name: z.string(), messages: z.int(), consumers: z.int() })),
  /** How long a call to each service takes, its queue included; `null` if there was no answer. */
  lag: z.array(z.object({ service: z.string(), seconds: z.number().nullable() })),
  /** `null`: not known here. */
  lastBackup: Timestamp.nullable(),
  /** `null`: the server does not say. */
  versions: z.record(z.string(), z.string().nullable()),
});
export type Health = z.infer<typeof Health>;

export const showHealth = operation({
  name: 'health.show',
  summary:
    'Show how the installation is, as the gateway that answers sees it: services, servers, queues, the last backup, versions.',
  permissions: [],
  roles: ['owner'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({}),
  output: Health,
  errors: ['PERMISSION_DENIED'],
  example: {
    input: {},
    output: {
      components: [
        { name: 'rabbitmq', state: 'ok', detail: null },
        { name: 'keys', state: 'ok', detail: null },
      ],
      queues: [{ name: 'rpc.keys', messages: 0, consumers: 2 }],
      lag: [{ service: 'keys', seconds: 0.003 }],
      lastBackup: times.createdAt,
      versions: { worktrack: '0.1.0', node: '24.21.0', rabbitmq: '4.2.1', redis: '8.4.0' },
    },
  },
  rest: 'GET /api/health',
});
