import { words } from '../messages.ts';
import { type ToastAction, tell, tellFailure } from './toasts.tsx';

interface Done {
  readonly undo: () => Promise<unknown>;
}

/** As many as anybody remembers. */
const MAX_REMEMBERED = 50;
const KEY = 'z';
/** What was done before it can be undone with the key, and need not be shown any more. */
const SLOT = 'done';

/** What was done in this tab and can be undone, the last one at the end. */
let done: readonly Done[] = [];
let doing: Promise<unknown> = Promise.resolve();

/**
 * Says what was done, and offers to undo it: in the message, and with `z` as long as it is the last thing that was done.
 * @param undo the inverse call; fails if others have changed the same since
 * @param next what else one may want now
 */
export function did(text: string, undo: () => Promise<unknown>, next: readonly ToastAction[] = []): void {
  const entry = { undo };
  done = [...done, entry].slice(-MAX_REMEMBERED);
  const back = { label: words.undo, key: KEY, run: () => void takeBack(entry), passes: true as const };
  tell(text, [...next, back], SLOT);
}

/** One after the other, so that what was begun last is what is undone first, also if that is asked for before it is done. */
export function inTurn<T>(what: () => Promise<T>): Promise<T> {
  const turn = doing.then(what);
  doing = turn.catch(() => undefined);
  return turn;
}

export async function undoLast(): Promise<void> {
  await doing;
  const last = done.at(-1);
  if (last) void takeBack(last);
  else tell(words.nothingToUndo);
}

async function takeBack(entry: Done): Promise<void> {
  // Once: the key and the button may both be pressed.
  if (!done.includes(entry)) return;
  done = done.filter((each) => each !== entry);
  try {
    await entry.undo();
    tell(words.undone, [], SLOT);
  } catch (error) {
    tellFailure(words.notUndone, error);
  }
}
