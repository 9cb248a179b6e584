import type { Output } from '@worktrack/contracts/operation';
import type { getWorkItem as operation } from '@worktrack/contracts/work-items/get';
import type { Answered, Call } from '@worktrack/rpc/types';
import { boardsWith } from '../../boards/boards.repository.ts';
import { together } from '../../calls/together.ts';
import { toWorkItem } from './present.ts';
import { shownItems } from './shown.repository.ts';

type Get = typeof operation;

/** All items requested in one message take one query, and their boards another. */
export function getWorkItems(calls: readonly Call<Get>[]): Promise<Answered<Output<Get>>[]> {
  return together(calls, async (scope, asked) => {
    const items = await shownItems(
      scope,
      asked.map(({ input }) => input.id),
    );
    const boards = await boardsWith(scope, items);
    const byRef = new Map(items.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
    return asked.map(({ input: { id }, context }) => {
      const item = byRef.get(id);
      if (item) return { output: toWorkItem(item, boards.get(item.boardId)) };
      return { error: context.fail('NOT_FOUND', `There is no work item ${id}.`).toValue() };
    });
  });
}
