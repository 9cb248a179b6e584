import type { getBoard } from '@worktrack/contracts/projects/board-operations';
import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../../api/call.ts';
import { useQuery } from '../../api/query.ts';
import { may } from '../../session.ts';

/** An item by its task ID or its id. */
export function useItem(ref: string | null) {
  return useQuery({
    key: ['item', ref],
    load: (signal) => call<typeof getWorkItem>('GET /api/work-items/:id', { id: ref ?? '' }, { signal }),
    follows: ({ subject }) => subject.kind === 'work_item' && (subject.id === ref || subject.taskId === ref),
    enabled: ref !== null,
  });
}

/** The board that an item is on. */
export function useBoardOf({ boardId }: Pick<WorkItem, 'boardId'>) {
  return useQuery({
    key: ['board', boardId],
    load: (signal) => call<typeof getBoard>('GET /api/boards/:id', { id: boardId }, { signal }),
    follows: ({ subject }) => subject.id === boardId,
    enabled: may('projects:read'),
  });
}
