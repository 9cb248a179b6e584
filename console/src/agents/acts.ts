import type { answerQuestion } from '@worktrack/contracts/work-items/changes/comment';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { each, tellLeft } from '../change/many.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { changeHeld, claimOf, type HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** Where an item goes that is taken from its agent. */
const PENDING = 'To Do';
/** How many agents a message names. */
const MAX_NAMED = 3;

/** Takes items from their agents. A person has no lease token, and needs none: a move out of `In Progress` ends the lease. Parents follow, so each is moved by itself. */
export async function release(items: readonly HeldItem[]): Promise<void> {
  const { done, left } = await each(items, ({ id }) =>
    call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
      workItemId: id,
      boardColumnId: PENDING,
      position: 'first',
      takeOver: true,
    }),
  );
  const released = new Set(done.map(({ card }) => claimOf(card)));
  changeHeld((held) => held.filter((item) => !released.has(claimOf(item))));
  const [first, ...others] = done;
  if (first && others.length === 0) {
    const { card, result } = first;
    tell(words.released({ task: card.taskId, column: result.toColumn, agent: card.lease.agent }));
  } else if (first) {
    tell(words.releasedMany({ n: done.length }));
  }
  tellLeft(left, ({ what }) => words.notReleased({ task: what }));
}

/** Gives all of them the same answer, if they still ask what they asked. @returns whether all have it */
export async function answer(items: readonly HeldItem[], text: string): Promise<boolean> {
  const { done, left } = await each(items, ({ id, lease }) =>
    call<typeof answerQuestion>('POST /api/work-items/:workItemId/answer', {
      ...{ workItemId: id, text },
      question: lease.question ?? undefined,
    }),
  );
  void queries.invalidateQueries({ queryKey: ['question'] });
  const names = done.map(({ card }) => card.lease.agent).sort();
  const agent = names.slice(0, MAX_NAMED).join(', ') + (names.length > MAX_NAMED ? ', …' : '');
  if (names.length > 0) tell(words.answered({ agent }));
  tellLeft(left, () => words.notAnswered);
  return left.length === 0;
}
