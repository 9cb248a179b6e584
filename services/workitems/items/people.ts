import type { Caller } from '@worktrack/contracts/caller';
import { mentionedIn } from '@worktrack/contracts/people/mentions';
import type { ItemRecord } from './items.model.ts';

interface Scope {
  readonly caller: Pick<Caller, 'people'>;
}

/** A user by any of the names that others give them; or a name that is nobody's, such as an agent's. An empty one is nobody, for clients that cannot send null. */
export function assigneeMeant(
  { caller: { people } }: Scope,
  given: string | null | undefined,
): Pick<ItemRecord, 'assignee' | 'assigneeIsUser'> {
  if (!given) return { assignee: null };
  if (!people) return { assignee: given };
  const user = people.find(({ as }) => as === given);
  return { assignee: user?.name ?? given, assigneeIsUser: user !== undefined };
}

/** Of those whom a text mentions, and did not mention before, the users. @returns what an event says about it */
export function mentionsIn({ caller: { people } }: Scope, text: string, before = ''): { readonly mentions?: string[] } {
  if (!people) return {};
  const known = new Set(mentionedIn(before));
  const handles = new Set(mentionedIn(text).filter((handle) => !known.has(handle)));
  const ids = people.flatMap(({ id, as }) => (as.startsWith('@') && handles.has(as.slice(1)) ? [id] : []));
  return ids.length > 0 ? { mentions: [...new Set(ids)] } : {};
}
