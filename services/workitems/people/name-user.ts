import type { Input, Output } from '@worktrack/contracts/operation';
import type { nameUser as operation } from '@worktrack/contracts/work-items/people';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { insertNames, namesOf, saveNames } from './names.repository.ts';

/** Said before a change as well as after it, so that the name before is known here whatever happens in between. */
export async function nameUser(
  { userId, name, revision, isErased }: Input<typeof operation>,
  context: WriteContext,
): Promise<Output<typeof operation>> {
  const known = await namesOf(context, userId);
  if (!known) {
    // Whoever is erased twice has been forgotten here.
    if (!isErased) await insertNames(context, { userId, name, revision, former: [] });
    return {};
  }
  const now = revision > known.revision ? { name, revision, ...(isErased && { isErased }) } : known;
  const former = new Set([...known.former, known.name, name]);
  former.delete(now.name);
  const isNew = now !== known || former.size > known.former.length;
  if (isNew) {
    const { name, revision, isErased = false } = now;
    await saveNames(context, userId, { name, revision, isErased, former: [...former] });
  }
  return {};
}
