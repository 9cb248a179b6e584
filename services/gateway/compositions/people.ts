import type { NamedUser } from '@worktrack/contracts/caller';
import { isUuid } from '@worktrack/contracts/fields';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { MAX_NAMED } from '@worktrack/contracts/keys/named-users';
import { mentionedIn, readingsOf } from '@worktrack/contracts/people/mentions';
import { asPart } from '@worktrack/contracts/query-values';
import { NAMING_FILTERS, NONE } from '@worktrack/contracts/work-items/lists/list-filters';
import type { CallOptions } from '@worktrack/rpc/types';
import type { Clients } from '../clients.ts';

const ME = 'me';
/** The fields of work items in which people write to people. */
const TEXTS = ['description', 'text', 'question'] as const;

interface Naming {
  readonly assignee?: unknown;
  readonly items?: unknown;
}

/**
 * The users whom a write names, as assignees or by mentioning them: services know users by their ids alone.
 * @param input parsed
 * @returns undefined if it names nobody
 */
export async function peopleIn(
  input: unknown,
  identity: Identity,
  clients: Pick<Clients, 'keys'>,
  options: CallOptions,
): Promise<readonly NamedUser[] | undefined> {
  const names = namesIn(input);
  if (names.length === 0) return undefined;
  const others = names.filter((name) => name !== ME);
  const own = others.length < names.length ? [{ id: identity.user.id, name: identity.user.name, as: ME }] : [];
  return [...own, ...(await usersNamed(others, clients, options))];
}

function namesIn(input: unknown): string[] {
  const { items, ...single } = (input ?? {}) as Naming;
  const all = [single, ...(Array.isArray(items) ? items : [])] as Readonly<Record<string, unknown>>[];
  const names = all.flatMap(({ assignee, ...fields }) => [
    ...(typeof assignee === 'string' && assignee !== '' ? [assignee] : []),
    ...TEXTS.flatMap((field) => mentionedIn(typeof fields[field] === 'string' ? fields[field] : ''))
      .flatMap(readingsOf)
      .map((handle) => `@${handle}`),
  ]);
  return [...new Set(names)].slice(0, MAX_NAMED);
}

/**
 * Filters by assignee: `me`, and a user's id, address, or name in any case, mean that user, as they do where work is assigned.
 * @param input parsed
 * @returns the fields to send instead
 */
export async function assigneesMeant(
  input: unknown,
  { user }: Identity,
  clients: Pick<Clients, 'keys'>,
  options: CallOptions,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const given = input as Readonly<Record<string, unknown>>;
  const meant: Record<string, readonly string[]> = {};
  for (const field of NAMING_FILTERS) {
    const names = given[field];
    if (!Array.isArray(names)) continue;
    const others = names.filter((name) => name !== ME);
    const own = others.length < names.length ? [user.id, user.name, user.email] : [];
    const looked = others.filter((name) => name !== NONE);
    const users = await usersNamed(looked, clients, options);
    if (own.length === 0 && users.length === 0) continue;
    // By name alone, whoever is meant has that name: there are only so many values.
    const found = users.flatMap(({ id, name, as }) => (isUuid(as) || as.includes('@') ? [id, name] : [name]));
    meant[field] = [...new Set([...others, ...own, ...found])].map(asPart);
  }
  return meant;
}

async function usersNamed(
  names: readonly string[],
  { keys }: Pick<Clients, 'keys'>,
  { idempotencyKey: _, ...reading }: CallOptions,
): Promise<readonly NamedUser[]> {
  if (names.length === 0) return [];
  const { users } = await keys.call('users.named', { names: [...names] }, reading);
  return users;
}
