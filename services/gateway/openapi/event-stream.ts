import { streamQuery } from '@worktrack/contracts/events/stream';
import { exampleLoggedEvent } from '@worktrack/contracts/examples';
import { describedInputSchema } from '../schema.ts';
import type { Components, OpenApiObject } from './components.ts';

const DESCRIPTION = [
  'Each event in the log that the key may see, in order: `id` is its `seq`, `event` its `type`, `data` the event as JSON.',
  'The first event is `listening`, whose id is where the stream begins; a comment follows at least every 15 s.',
  'In between, `beat` is a heartbeat of an agent. It has no id: missed ones are not sent again.',
  'The stream ends with `slow` if the client reads too slowly, with `refused` if its key was revoked, and with `expired` if it fell behind the beginning of the log.',
].join(' ');

/** The one response that does not end. */
export function eventStreamPath(components: Components): Record<string, OpenApiObject> {
  const { properties = {} } = describedInputSchema(streamQuery);
  return {
    '/api/events/stream': {
      get: {
        operationId: 'events.stream',
        tags: ['events'],
        summary: "Follow the organization's event log, as Server-Sent Events.",
        description: DESCRIPTION,
        parameters: [
          ...Object.entries(properties).map(([name, { description, ...schema }]) => ({
            name,
            in: 'query',
            required: false,
            ...(description ? { description } : {}),
            schema,
          })),
          {
            name: 'Last-Event-ID',
            in: 'header',
            required: false,
            description: 'The id of the last event received; takes precedence over `after`.',
            schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
          },
        ],
        responses: {
          '200': {
            description: 'Events, until either side ends the stream.',
            headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
            content: {
              'text/event-stream': {
                schema: { type: 'string' },
                example: `id: ${exampleLoggedEvent.seq}\nevent: ${exampleLoggedEvent.type}\ndata: ${JSON.stringify(exampleLoggedEvent)}\n\n`,
              },
            },
          },
          ...components.failures([
            'VALIDATION_FAILED',
            'API_KEY_MISSING',
            'API_KEY_INVALID',
            'CURSOR_EXPIRED',
            'RATE_LIMITED',
            'INTERNAL',
            'UNAVAILABLE',
            'DEADLINE_EXCEEDED',
          ]),
        },
      },
    },
  };
}
