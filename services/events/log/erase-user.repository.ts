import { isDeepStrictEqual } from 'node:util';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { typesNamed } from '@worktrack/contracts/events/list';
import { ERASED_NAME } from '@worktrack/contracts/keys/users';
import { replaceValues } from '@worktrack/contracts/query-values';
import { NAMING_FILTERS } from '@worktrack/contracts/work-items/lists/list-filters';
import { headOf } from './heads.repository.ts';
import { LogModel } from './log.model.ts';
import { between, forget, type LogFilter, oldestOf } from './places.repository.ts';

/** They say what a user is called; the last one, by saying whom an item was assigned to. */
const NAMING = ['user.created', 'user.updated', 'work_item.needs_attention'] as const;
const ITEM_TYPES = typesNamed('work_item.*').filter((type) => type !== 'work_item.needs_attention');
/** A saved view names whom it lists. */
const VIEW_TYPES = typesNamed('view.*');
const ERASED_PLACES = 500;

type Data = Readonly<Record<string, unknown>>;

/** What events say that a user was called. */
export async function namesInLog(organizationId: string, userId: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const learn = (...said: readonly unknown[]) => {
    for (const name of said) if (typeof name === 'string') names.add(name);
  };
  await eachIn(organizationId, { types: NAMING }, ({ subject, data }) => {
    if (data.userId === userId) learn(data.assignee);
    if (subject.id === userId) learn(...namesIn(data));
    return undefined;
  });
  return names;
}

/**
 * Drops what events say about who a user is: name and address, also where items were assigned by that name. A rare call, so it walks the log rather than having an
 * index kept up for it. What the names are learned from goes last: if the process ends in between, the next attempt learns them again.
 */
export async function eraseUserFromLog(
  organizationId: string,
  userId: string,
  names: ReadonlySet<unknown>,
): Promise<void> {
  if (names.size === 0) return;
  await eachIn(organizationId, { types: [...ITEM_TYPES, ...VIEW_TYPES] }, ({ subject, data }) =>
    subject.kind === 'view' ? withoutFilters(data, names) : withoutNames(data, names),
  );
  await eachIn(organizationId, { types: NAMING }, ({ subject, data }) =>
    subject.id === userId ? withoutPerson(data) : withoutNames(data, names),
  );
}

/** @param erased returns what the event says instead; undefined: the same */
async function eachIn(
  organizationId: string,
  filter: LogFilter,
  erased: (event: LoggedEvent) => Data | undefined,
): Promise<void> {
  const head = await headOf(organizationId);
  const oldest = await oldestOf(organizationId);
  for (let after = (oldest ?? head + 1) - 1; after < head; after += ERASED_PLACES) {
    const upTo = Math.min(head, after + ERASED_PLACES);
    for (const event of await between(organizationId, { after, upTo }, filter, ERASED_PLACES)) {
      const data = erased(event);
      if (!data) continue;
      await LogModel.updateOne({ organizationId, _id: event.id }, { $set: { data: JSON.stringify(data) } });
      forget(organizationId, event.seq);
    }
  }
}

/** Of an event about a user. */
function namesIn({ name, changes }: Data): unknown[] {
  const { from, to } = (changes as { readonly name?: Data } | undefined)?.name ?? {};
  return [name, from, to];
}

function withoutPerson({ name: _, email: __, changes, ...rest }: Data): Data {
  const { name: ___, email: ____, ...others } = (changes ?? {}) as Data;
  return { ...rest, ...(changes !== undefined && { changes: others }) };
}

function withoutNames(data: Data, names: ReadonlySet<unknown>): Data | undefined {
  const { assignee } = (data.changes ?? {}) as { readonly assignee?: Data };
  const { from, to } = assignee ?? {};
  if (![data.assignee, from, to].some((name) => names.has(name))) return undefined;
  const instead = (name: unknown) => (names.has(name) ? ERASED_NAME : name);
  return {
    ...data,
    ...('assignee' in data && { assignee: instead(data.assignee) }),
    ...(assignee && { changes: { ...(data.changes as Data), assignee: { from: instead(from), to: instead(to) } } }),
  };
}

/** Of an event about a saved view. */
function withoutFilters(data: Data, names: ReadonlySet<unknown>): Data | undefined {
  const without = (filters: unknown): unknown => {
    const named = NAMING_FILTERS.filter((filter) => (filters as Data | null | undefined)?.[filter] !== undefined);
    const replaced = named.map((filter) => [filter, replaceValues((filters as Data)[filter], instead)]);
    return named.length > 0 ? { ...(filters as Data), ...Object.fromEntries(replaced) } : filters;
  };
  const instead = (name: string) => (names.has(name) ? ERASED_NAME : undefined);
  const { filters: changed } = (data.changes ?? {}) as { readonly filters?: Data };
  const erased = {
    ...data,
    ...('filters' in data && { filters: without(data.filters) }),
    ...(changed && {
      changes: { ...(data.changes as Data), filters: { from: without(changed.from), to: without(changed.to) } },
    }),
  };
  return isDeepStrictEqual(erased, data) ? undefined : erased;
}
