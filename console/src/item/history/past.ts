import type { Output, RawInput } from '@worktrack/contracts/operation';
import type { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import type { HistoryName } from '@worktrack/contracts/work-items/history-event';
import { call } from '../../api/call.ts';
import { usePages, useQuery } from '../../api/query.ts';

export type HistoryEntry = Output<typeof getWorkItemEvents>['events'][number];

/** As many entries of the history as an item's page shows first. */
export const FIRST_SHOWN = 50;
/** The most that the service returns at once. */
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
    load: (signal) => read({ workItemId, limit, eventType }, signal),
    follows: ({ subject }) => subject.id === workItemId,
    keepsEarlier: true,
    enabled,
  });
}

/** All of it, as far as somebody asks to see. */
export function useWholePast(workItemId: string, enabled: boolean) {
  return usePages({
    key: ['history', workItemId, 'whole'],
    load: (cursor, signal) => read({ workItemId, limit: MOST_SHOWN, cursor }, signal),
    follows: ({ subject }) => subject.id === workItemId,
    enabled,
  });
}

const read = (input: RawInput<typeof getWorkItemEvents>, signal: AbortSignal) =>
  call<typeof getWorkItemEvents>('GET /api/work-items/:workItemId/events', input, { signal });
