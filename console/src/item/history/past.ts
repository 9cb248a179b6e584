import type { Output } from '@worktrack/contracts/operation';
import type { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import type { HistoryName } from '@worktrack/contracts/work-items/history-event';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';

export type HistoryEntry = Output<typeof getWorkItemEvents>['events'][number];

/** As many entries of the history as an item's page shows first. */
export const FIRST_SHOWN = 50;
/** The most that the service returns. */
export const MOST_SHOWN = 200;

interface Which {
  readonly limit: number;
  readonly eventType?: HistoryName;
  readonly enabled?: boolean;
}

/** An item's history, newest first; parts of the page that ask for the same share the answer. */
export function usePast(workItemId: string, { limit, eventType, enabled = true }: Which) {
  return useQuery({
    key: ['history', workItemId, limit, eventType],
    load: (signal) =>
      call<typeof getWorkItemEvents>(
        'GET /api/work-items/:workItemId/events',
        { workItemId, limit, eventType },
        { signal },
      ),
    follows: ({ subject }) => subject.id === workItemId,
    keepsEarlier: true,
    enabled,
  });
}
