import { z } from 'zod';
import { eventFilters } from './list.ts';

/** `GET /api/events/stream`: the log as Server-Sent Events, with the parameters of events.list. */
export const streamQuery = z.strictObject({
  after: z
    .int()
    .min(0)
    .optional()
    .describe('The seq of the last event that you have; default: from now on. Last-Event-ID takes precedence'),
  ...eventFilters,
});
export type StreamQuery = z.infer<typeof streamQuery>;
