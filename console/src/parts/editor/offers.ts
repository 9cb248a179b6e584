import type { User } from '@worktrack/contracts/keys/records';
import type { listUsers } from '@worktrack/contracts/keys/users';
import type { Output } from '@worktrack/contracts/operation';
import { handleOf } from '@worktrack/contracts/people/mentions';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { identity, may } from '../../session.ts';
import { foundItems, OFFERED } from '../item/found-items.ts';

const MAX_OFFERED = 8;

interface Offer {
  /** What is inserted. */
  readonly value: string;
  readonly text: string;
}

/** What may follow `@` (a person) or `#` (an item), for text-expander. @throws what could not be read */
export async function offer(key: string, typed: string, projectId: string | undefined) {
  const found = key === '@' ? await people(typed) : await items(typed, projectId);
  return { matched: found.length > 0, fragment: listOf(found) };
}

export const insertionOf = (item: HTMLElement) => item.dataset.value;

async function people(typed: string): Promise<Offer[]> {
  const wanted = handleOf(typed);
  return (await users())
    .filter(({ name }) => handleOf(name).includes(wanted))
    .toSorted((one, other) => rank(one, wanted) - rank(other, wanted) || one.name.localeCompare(other.name))
    .slice(0, MAX_OFFERED)
    .map(({ name }) => ({ value: `@${name.replace(/\s+/g, '')}`, text: name }));
}

const rank = ({ name }: User, wanted: string) => (handleOf(name).startsWith(wanted) ? 0 : 1);

async function users(): Promise<readonly User[]> {
  const own = identity.peek()?.user;
  if (!may('users:read')) return own ? [own as User] : [];
  const load = () => call<typeof listUsers>('GET /api/users', { limit: 100 });
  const { users: all } = (await queries.fetchQuery({ queryKey: ['users'], queryFn: load })) as Output<typeof listUsers>;
  return all.filter(({ disabled }) => !disabled);
}

async function items(typed: string, projectId: string | undefined): Promise<Offer[]> {
  const search = typed.trim();
  if (!search) return [];
  const load = () => foundItems(projectId, search, MAX_OFFERED);
  const found = await queries.fetchQuery({ queryKey: [OFFERED, projectId, search], queryFn: load });
  return found.map(({ taskId, title }) => ({ value: taskId, text: `${taskId} ${title}` }));
}

function listOf(offers: readonly Offer[]): HTMLElement {
  const list = document.createElement('div');
  list.setAttribute('role', 'listbox');
  list.className = 'options editor-offers';
  for (const [at, { value, text }] of offers.entries()) {
    const option = document.createElement('div');
    option.setAttribute('role', 'option');
    option.id = `offer-${at}`;
    option.dataset.value = value;
    option.textContent = text;
    list.append(option);
  }
  return list;
}
