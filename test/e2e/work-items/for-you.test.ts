import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';
import { callTool } from '../../support/tool-call.ts';

interface Entry {
  readonly kind: string;
  readonly id: string;
  readonly since: string;
  readonly workItem?: { readonly id: string; readonly taskId: string; readonly assignee: string | null };
}
interface ForYou {
  readonly items: Entry[];
  readonly counts: Record<string, number>;
  readonly nextCursor: string | null;
}

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

async function task(
  fields: object = {},
  column = 'Backlog',
): Promise<{ id: string; taskId: string; assignee: string }> {
  const { boardId, columns } = organization;
  const body = { title: 'A task', type: 'task', boardId, boardColumnId: columns[column], ...fields };
  const { data } = await organization.call<{ id: string; taskId: string; assignee: string }>(
    'POST',
    '/api/work-items',
    body,
  );
  return data;
}

/** A user with a key of their own. */
async function user(name: string, fields: object = {}) {
  const permissions = ['work-items:read', 'work-items:write'];
  const made = await organization.newUser({ name, ...fields }, { permissions });
  const forYou = async (query = '') => (await made.call<ForYou>('GET', `/api/for-you${query}`)).data;
  return { ...made, forYou };
}

describe('what needs me', () => {
  test('is the same over REST and by tool, in the order of its kinds, over as many pages as it takes', async () => {
    const ada = await user('Ada Lovelace');
    const validated = await task({}, 'Testing');
    const [first, second] = [await task({ assignee: ada.id }, 'Review'), await task({}, 'Review')];
    const { items, counts } = await ada.forYou();
    expect(items.map(({ kind, workItem }) => [kind, workItem?.id])).toEqual([
      ['review', first.id],
      ['review', second.id],
      ['validation', validated.id],
      ['assigned', first.id],
    ]);
    expect(counts).toMatchObject({ question: 0, review: 2, validation: 1, assigned: 1, budget: 0, mention: 0 });
    const paged: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: ForYou = await ada.forYou(`?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(items);
    const { output } = await callTool(system.baseUrl, ada.key, 'list_for_me', { kinds: ['validation', 'assigned'] });
    expect((output as unknown as ForYou).items.map(({ kind }) => kind)).toEqual(['validation', 'assigned']);
    expect((await ada.call('GET', `/api/for-you?cursor=${'a'.repeat(40)}`)).status).toBe(400);
  });

  test('knows an assignee by id, name, address or as me, and shows the name', async () => {
    const grace = await user('Grace Hopper');
    const made = [];
    for (const assignee of [grace.id, grace.name, grace.email]) made.push(await task({ assignee }));
    const { id } = await task();
    const mine = await grace.call<{ assignee: string }>('PATCH', `/api/work-items/${id}`, { assignee: 'me' });
    expect([...made.map(({ assignee }) => assignee), mine.data.assignee]).toEqual(Array(4).fill('Grace Hopper'));
    expect((await grace.forYou('?kinds=assigned')).items).toHaveLength(4);
    const handle = await task({ assignee: '@GraceHopper' });
    expect(handle.assignee).toBe('Grace Hopper');
    await organization.call('DELETE', `/api/work-items/${handle.id}`);
    for (const assignee of [
      'me',
      grace.id,
      encodeURIComponent(grace.email),
      'grace%20hopper',
      'Nobody,Grace%20Hopper',
    ]) {
      const list = await grace.call<{ workItems: unknown[] }>('GET', `/api/work-items?assignee=${assignee}`);
      expect(list.data.workItems, assignee).toHaveLength(4);
    }
  });

  test('is still what is assigned to me once I am called something else, and nowhere under my name once I am erased', async () => {
    const rosalind = await user('Rosalind Elsie');
    const { id } = await task({ assignee: rosalind.id });
    const rename = (fields: object) => organization.call('PATCH', `/api/users/${rosalind.id}`, fields);
    await rename({ name: 'Rosalind Franklin' });
    await expect.poll(async () => (await rosalind.forYou('?kinds=assigned')).items).toHaveLength(1);
    for (const assignee of ['me', rosalind.id]) {
      const { data } = await rosalind.call<{ workItems: object[] }>('GET', `/api/work-items?assignee=${assignee}`);
      expect(data.workItems, assignee).toMatchObject([{ id, assignee: 'Rosalind Franklin' }]);
    }
    await rename({ disabled: true });
    await organization.call('POST', `/api/users/${rosalind.id}/erase`);
    const shown = async () =>
      Promise.all(
        [`/api/work-items/${id}`, `/api/work-items/${id}/events`, '/api/events?limit=500', '/api/users'].map(
          async (path) => JSON.stringify((await organization.call('GET', path)).data),
        ),
      );
    await expect.poll(async () => (await shown()).filter((text) => /Rosalind (?:E|Franklin)/.test(text))).toEqual([]);
    expect((await organization.call<{ assignee: string }>('GET', `/api/work-items/${id}`)).data.assignee).toBe(
      'Erased user',
    );
  });
});

interface Told {
  readonly notifications: {
    readonly id: string;
    readonly kind: string;
    readonly text?: string;
    readonly workItem?: object;
  }[];
  readonly unread: number;
}

test.each([
  ['with an ending after an apostrophe', "@RosalindFranklin's pictures", ['Rosalind Franklin']],
  ['whose name has one', 'Ask @RosalindO’Franklin or @RosalindO’Franklin’s friend', ['Rosalind O’Franklin']],
])('mentions somebody %s', async (_, text, expected) => {
  const people = [await user('Rosalind Franklin'), await user('Rosalind O’Franklin'), await user('Rosalind O')];
  const { id } = await task();
  await organization.call('POST', `/api/work-items/${id}/comments`, { text });
  const told = async () => {
    const counts = await Promise.all(people.map(async (each) => (await each.forYou('?limit=1')).counts.mention ?? 0));
    return ['Rosalind Franklin', 'Rosalind O’Franklin', 'Rosalind O'].filter((_, at) => (counts[at] ?? 0) > 0);
  };
  await expect.poll(told).toEqual(expected);
});

test('the question of an agent mentions people, as its comments do', async () => {
  const mary = await user('Mary Shaw');
  const { id } = await task();
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
    ...{ ids: [id], agent: 'one' },
  });
  const asked = { leaseToken: data.lease.token, state: 'awaiting_input', question: 'Which blue, @maryshaw?' };
  await organization.call('POST', `/api/work-items/${id}/progress`, asked);
  await expect
    .poll(async () => (await mary.forYou('?kinds=mention')).items)
    .toMatchObject([{ workItem: { id }, mention: { actor: { agent: 'one' }, text: 'Which blue, @maryshaw?' } }]);
});

test('a mention needs the user until they have read it, and a watched item is told of', async () => {
  const joan = await user('Joan Clarke');
  const { id, taskId } = await task();
  expect((await joan.call('PUT', `/api/work-items/${taskId}/watch`)).data).toEqual({
    workItemId: id,
    taskId,
    watching: true,
  });
  await organization.call('POST', `/api/work-items/${id}/comments`, { text: 'Look, @joanclarke' });
  await organization.call('POST', `/api/work-items/${id}/comments`, { text: 'Or not' });
  const told = async () => (await joan.call<Told>('GET', '/api/notifications?unread=true')).data;
  await expect.poll(async () => (await told()).unread).toBe(2);
  const [, mention] = (await told()).notifications;
  expect(mention).toMatchObject({ kind: 'mention', text: 'Look, @joanclarke', workItem: { taskId } });
  const { items, counts } = await joan.forYou('?kinds=mention');
  expect(counts.mention).toBe(1);
  expect(items).toMatchObject([{ kind: 'mention', mention: { text: 'Look, @joanclarke' }, workItem: { id } }]);
  await joan.call('POST', '/api/notifications/read', { ids: [mention?.id] });
  expect((await joan.forYou('?kinds=mention')).items).toEqual([]);
  await joan.call('DELETE', `/api/work-items/${id}/watch`);
  const { data } = await joan.call<object>('GET', `/api/work-items/${id}/watch`);
  expect(data).toMatchObject({ watching: false });
  expect((await joan.call('PUT', '/api/work-items/W-T-9999/watch')).status).toBe(404);
});
