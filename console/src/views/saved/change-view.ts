import type { RawInput } from '@worktrack/contracts/operation';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import type {
  createView as create,
  deleteView as remove,
  updateView as update,
} from '@worktrack/contracts/work-items/lists/view-operations';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { attempt } from '../../parts/busy.ts';
import { tell } from '../../parts/popup/toasts.tsx';
import { did } from '../../parts/popup/undo.ts';
import { filter, go, setFilters } from '../../router.ts';
import { VIEWS_KEY } from './follow.ts';
import { words } from './messages.ts';
import { addressOf } from './saved.ts';

type Changes = Omit<RawInput<typeof update>, 'id'>;

/** Nobody is told of views that are not shared. */
const readAgain = () => queries.invalidateQueries({ queryKey: [VIEWS_KEY] });

/** Saves a new view, and shows it. */
export async function saveNew(input: RawInput<typeof create>): Promise<void> {
  const view = await call<typeof create>('POST /api/views', input);
  await readAgain();
  go(addressOf(view));
  did(words.viewSaved({ name: view.name }), () => erase(view));
}

/** @throws what was refused */
export async function saveView(view: View, changes: Changes): Promise<void> {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, view[name as keyof Changes]]));
  const send = (how: Changes) =>
    call<typeof update>('PATCH /api/views/:id', { id: view.id, ...how }).finally(readAgain);
  await send(changes);
  did(words.viewSaved({ name: changes.name ?? view.name }), () => send(before));
}

export function changeView(view: View, changes: Changes): Promise<void> {
  return attempt(words.viewNotSaved, () => saveView(view, changes));
}

/** @param isOwn others' cannot be made again in their name */
export function deleteView(view: View, isOwn: boolean): Promise<void> {
  return attempt(words.viewNotSaved, async () => {
    await erase(view);
    const text = words.viewDeleted({ name: view.name });
    if (!isOwn) return tell(text);
    const { name, projectId, shared, filters } = view;
    did(text, async () => {
      await call<typeof create>('POST /api/views', { name, projectId, shared, filters });
      await readAgain();
    });
  });
}

async function erase({ id }: View): Promise<void> {
  await call<typeof remove>('DELETE /api/views/:id', { id });
  await readAgain();
  if (filter('view') === id) setFilters({ view: undefined });
}
