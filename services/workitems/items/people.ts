import type { Caller } from '@worktrack/contracts/caller';
import { mentionedIn, readingsOf } from '@worktrack/contracts/people/mentions';
import { NOBODY } from './claimable.ts';
import type { ItemRecord } from './items.model.ts';

interface Scope {
  readonly caller: Pick<Caller, 'people'>;
}

/** A user by any of the names that others give them; or a name that is nobody's, such as an agent's. An empty one is nobody, for clients that cannot send null. */
export function assigneeMeant(
  { caller: { people } }: Scope,
  given: string | null | undefined,
): Pick<ItemRecord, 'assignee' | 'assigneeId'> {
  if (!given) return { assignee: null };
  if (!people) return { assignee: given };
  const user = people.find(({ as }) => as === given);
  return { assignee: user?.name ?? given, assigneeId: user?.id ?? NOBODY };
}

/** Of those whom a text mentions, and did not mention before, the users. @returns what an event says about it */
export function mentionsIn({ caller: { people } }: Scope, text: string, before = ''): { readonly mentions?: string[] } {
  if (!people) return {};
  const idsOf = (handle: string) => people.filter(({ as }) => as === `@${handle}`).map(({ id }) => id);
  const meantIn = (written: string) =>
    mentionedIn(written).flatMap(
      (handle) =>
        readingsOf(handle)
          .map(idsOf)
          .find(({ length }) => length > 0) ?? [],
    );
  const known = new Set(meantIn(before));
  const ids = meantIn(text).filter((id) => !known.has(id));
  return ids.length > 0 ? { mentions: [...new Set(ids)] } : {};
}
