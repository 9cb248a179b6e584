import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';

/** An item by its task ID or its id. */
export function useItem(ref: string | null) {
  return useQuery({
    key: ['item', ref],
    load: (signal) => call<typeof getWorkItem>('GET /api/work-items/:id', { id: ref ?? '' }, { signal }),
    follows: ({ subject }) => subject.kind === 'work_item' && (subject.id === ref || subject.taskId === ref),
    enabled: ref !== null,
  });
}
