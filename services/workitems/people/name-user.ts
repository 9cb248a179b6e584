import type { nameUser as operation } from '@worktrack/contracts/work-items/people';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { insertNames, namesOf, saveNames } from './names.repository.ts';

/** Said before a change as well as after it, so that the name before is known here whatever happens in between. */
export const nameUser: WriteAlone<typeof operation> = async ({ userId: _id, name, revision, isErased }, context) => {
  const known = await namesOf(context, _id);
  if (!known) {
    // Whoever is erased twice has been forgotten here.
    if (!isErased) await insertNames(context, { _id, name, revision });
    return {};
  }
  const now = revision > known.revision ? { _id, name, revision, isErased } : known;
  const former = new Set([...known.former, known.name, name]);
  former.delete(now.name);
  if (now !== known || former.size > known.former.length) await saveNames(context, { ...now, former: [...former] });
  return {};
};
