import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../../support/organization.ts';
import { sharedSystem } from '../../support/system.ts';

interface Item {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly taskId: string;
  readonly version: number;
}
interface Event {
  readonly eventType: string;
  readonly data: Record<string, unknown>;
  readonly actor: { readonly userId: string };
}

let organization: TestOrganization;
beforeAll(async () => {
  organization = await (await sharedSystem()).newOrganization();
});

async function create(fields: Record<string, unknown> = {}): Promise<Item> {
  const { boardId, columns } = organization;
  const body = { title: 'An item', type: 'task', boardId, boardColumnId: columns.Backlog, ...fields };
  const answer = await organization.call<Item>('POST', '/api/work-items', body);
  expect(answer).toMatchObject({ status: 201, success: true });
  return answer.data;
}

describe('the life of a work item over REST', () => {
  test('what was created before with an external id is answered with 200', async () => {
    const item = await create({ externalId: 'build 17' });
    const { boardId, columns } = organization;
    const body = { title: 'Another', type: 'task', boardId, boardColumnId: columns.Backlog, externalId: 'build 17' };
    const answer = await organization.call<Item>('POST', '/api/work-items', body);
    expect(answer).toMatchObject({ status: 200, success: true, data: { ...item, created: false } });
  });

  test('create, read, change, move, comment, history, delete: by UUID and by task ID', async () => {
    const item = await create({ title: 'First', metadata: { a: { b: 1 } } });
    expect(item).toMatchObject({ type: 'task', priority: 'medium', columnName: 'Backlog', version: 1 });
    for (const ref of [item.id, item.taskId, item.taskId.toLowerCase()]) {
      expect(await organization.call('GET', `/api/work-items/${ref}`)).toMatchObject({ status: 200, data: item });
    }

    const changed = await organization.call('PATCH', `/api/work-items/${item.taskId}`, {
      title: 'Second',
      metadata: { a: { c: 2 } },
    });
    expect(changed).toMatchObject({
      status: 200,
      data: { title: 'Second', metadata: { a: { b: 1, c: 2 } }, version: 2 },
    });

    const boardColumnId = organization.columns['In Progress'];
    const moved = await organization.call('POST', `/api/work-items/${item.taskId}/move`, { boardColumnId });
    expect(moved).toMatchObject({
      status: 200,
      data: { workItem: { isAiProcessing: true }, fromColumn: 'Backlog', toColumn: 'In Progress', cascaded: [] },
    });

    const comment = await organization.call('POST', `/api/work-items/${item.taskId}/comments`, { text: 'Look' });
    expect(comment).toMatchObject({ status: 201, data: { event: { eventType: 'comment', data: { text: 'Look' } } } });

    expect(await organization.call('DELETE', `/api/work-items/${item.taskId}`)).toMatchObject({
      status: 200,
      data: { deleted: true, id: item.id },
    });
    expect(await organization.call('GET', `/api/work-items/${item.id}`)).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND' },
    });

    const history = await organization.call<{ events: Event[] }>('GET', `/api/work-items/${item.id}/events`);
    expect(history.data).toMatchObject({ workItemId: item.id, taskId: item.taskId, title: 'Second', totalEvents: 5 });
    const types = history.data.events.map(({ eventType }) => eventType);
    expect(types).toEqual(['deleted', 'comment', 'moved', 'updated', 'created']);
    for (const { actor } of history.data.events) expect(actor.userId).toBe(organization.userId);
    const filtered = await organization.call('GET', `/api/work-items/${item.id}/events?eventType=moved&limit=1`);
    expect(filtered.data).toMatchObject({ totalEvents: 1, events: [{ data: { toColumn: 'In Progress' } }] });
  });

  test('a move accepts a place in the column', async () => {
    const { 'To Do': boardColumnId } = organization.columns;
    const [one, two, three] = [await create(), await create(), await create()];
    const move = (item: Item, position?: unknown) =>
      organization.call('POST', `/api/work-items/${item.id}/move`, {
        boardColumnId,
        ...(position ? { position } : {}),
      });
    for (const [item, position] of [[one], [two, 'first'], [three, { after: two.taskId }]] as const) {
      expect((await move(item, position)).status).toBe(200);
    }
    const listed = await organization.call<{ workItems: Item[] }>(
      'GET',
      `/api/work-items?boardColumnId=${boardColumnId}`,
    );
    expect(listed.data.workItems.map(({ id }) => id)).toEqual([two.id, three.id, one.id]);
  });

  test('many are moved, and resolved, in one call', async () => {
    const epic = await create({ type: 'epic' });
    const tasks = [await create({ parentId: epic.taskId }), await create({ parentId: epic.id })];
    const resolved = await organization.call('POST', '/api/work-items/resolve', { ids: [epic.taskId, 'nothing'] });
    expect(resolved).toMatchObject({
      status: 200,
      data: { notFound: ['nothing'], items: tasks.map(({ id }) => ({ id, resolvedFrom: [epic.taskId] })) },
    });
    const moved = await organization.call('POST', '/api/work-items/batch-move', {
      workItemIds: [...tasks.map(({ id }) => id), 'W-T-999999'],
      boardColumnId: organization.columns.Review,
    });
    expect(moved).toMatchObject({
      status: 200,
      data: {
        movedCount: 2,
        items: [{ columnName: 'Review' }, { columnName: 'Review' }],
        skipped: [{ id: 'W-T-999999' }],
      },
    });
  });

  test('a list takes its filters from the query, and pages', async () => {
    const marker = `Zebra${Date.now()}`;
    for (const priority of ['high', 'high', 'low']) await create({ title: `${marker} crossing`, priority });
    const list = (query: string) => organization.call('GET', `/api/work-items?search=${marker.toLowerCase()}${query}`);
    expect((await list('&priority=high&limit=1&page=2')).data).toMatchObject({
      workItems: [{ priority: 'high', columnName: 'Backlog' }],
      pagination: { page: 2, limit: 1, total: 2, totalPages: 2 },
    });
    const priorities = async (query: string) => {
      const { data } = await list(query);
      return (data.workItems as readonly Item[]).map(({ priority }) => priority);
    };
    await create({ title: `${marker} urgent`, priority: 'urgent', type: 'story' });
    expect(await priorities('&sort=priority')).toEqual(['urgent', 'high', 'high', 'low']);
    expect(await priorities('&priority=low,urgent&sort=priority,-updatedAt')).toEqual(['urgent', 'low']);
    expect(await priorities('&priority=low&priority=urgent&type=story,epic')).toEqual(['urgent']);
    expect(await priorities('&createdAfter=2100-01-01')).toEqual([]);
  });

  test('assignee=me means the caller by id, name and address', async () => {
    const marker = `Okapi${Date.now()}`;
    const { data } = await organization.call<{ user: { id: string; name: string; email: string } }>('GET', '/api/me');
    const { id, name, email } = data.user;
    for (const assignee of [id, name, email, 'somebody']) await create({ title: marker, assignee });
    const assignees = async (query: string) => {
      const path = `/api/work-items?search=${marker}&${query}`;
      const { data: found } = await organization.call('GET', path);
      return (found.workItems as readonly Item[]).map(({ assignee }) => assignee);
    };
    expect(await assignees('assignee=me')).toEqual([name, name, name]);
    expect(await assignees('assignee=me,somebody')).toEqual(['somebody', name, name, name]);
    expect(await assignees('assignee=somebody')).toEqual(['somebody']);
    const { boardId } = organization;
    const { data: cards } = await organization.call('GET', `/api/boards/${boardId}/cards?search=${marker}&assignee=me`);
    expect(cards.cards).toHaveLength(3);
  });
});

describe('If-Match', () => {
  test.each(['1', '"1"'])(
    '%s is accepted while it is the version, then refused with the item as it is',
    async (version) => {
      const item = await create();
      const patch = (title: string) =>
        organization.call('PATCH', `/api/work-items/${item.id}`, { title }, { 'if-match': version });
      const first = await patch('Fast');
      expect(first).toMatchObject({ status: 200, data: { version: 2 } });
      const second = await patch('Slow');
      expect(second).toMatchObject({ status: 409, error: { code: 'CONFLICT', current: first.data } });
    },
  );
});

describe('a refusal names the field', () => {
  test.each([
    ['POST', '/api/work-items', { type: 'task' }, 400, 'title'],
    ['POST', '/api/work-items', { title: 'A', type: 'chore' }, 400, 'type'],
    ['PATCH', '/api/work-items/:item', { metadata: { a: { 'b.c': 1 } } }, 400, 'metadata.a.b.c'],
    ['PATCH', '/api/work-items/:item', { titel: 'A' }, 400, 'titel'],
    ['PATCH', '/api/work-items/:item', { parentId: ':item' }, 400, 'parentId'],
    ['POST', '/api/work-items/:item/move', { boardColumnId: ':item' }, 400, 'boardColumnId'],
    ['POST', '/api/work-items/:item/move', {}, 400, 'boardColumnId'],
    ['POST', '/api/work-items/:item/comments', { text: ' ' }, 400, 'text'],
    ['GET', '/api/work-items?limit=101', undefined, 400, 'limit'],
    ['GET', '/api/work-items?page=zero', undefined, 400, 'page'],
    ['GET', '/api/work-items/:item/events?limit=201', undefined, 400, 'limit'],
    ['POST', '/api/work-items/resolve', { ids: ['W-T-1'], maxDepth: 11 }, 400, 'maxDepth'],
    ['GET', '/api/work-items/not-an-id', undefined, 400, 'id'],
  ])('%s %s %j: %i %s', async (method, path, body, status, field) => {
    const { id } = await create();
    const filled = (text: string) => text.replaceAll(':item', id);
    const sent = body && JSON.parse(filled(JSON.stringify(body)));
    const answer = await organization.call(method, filled(path), sent);
    expect(answer).toMatchObject({ status, error: { code: 'VALIDATION_FAILED' } });
    expect(answer.error.details?.map((detail) => detail.path)).toContain(field);
  });
});

describe('projects and boards over REST', () => {
  test('a project comes with a board, whose columns are given as a whole list', async () => {
    const project = await organization.call('POST', '/api/projects', { name: 'Second', techStack: ['Rust'] });
    expect(project).toMatchObject({ status: 201, data: { name: 'Second', key: 'S', techStack: ['Rust'] } });
    const { id, defaultBoardId } = project.data as { id: string; defaultBoardId: string };
    expect((await organization.call('PATCH', `/api/projects/${id}`, { key: 'Q' })).data).toMatchObject({ key: 'Q' });

    const boards = await organization.call<{ id: string; columns: { id: string; name: string }[] }[]>(
      'GET',
      `/api/projects/${id}/boards`,
    );
    expect(boards.data.map((board) => board.id)).toEqual([defaultBoardId]);
    const [backlog, ...rest] = boards.data[0]?.columns ?? [];
    const boardColumnId = rest.at(-1)?.id;
    const item = await create({ boardId: defaultBoardId, boardColumnId });
    expect(item.taskId).toBe('Q-T-1');

    const removal = await organization.call('PATCH', `/api/boards/${defaultBoardId}`, {
      columns: [backlog].map((column) => ({ id: column?.id, name: 'Inbox' })),
    });
    expect(removal).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    await organization.call('DELETE', `/api/work-items/${item.id}`);
    const changed = await organization.call('PATCH', `/api/boards/${defaultBoardId}`, {
      columns: [{ name: 'New' }, { id: backlog?.id, name: 'Inbox' }],
    });
    expect(changed).toMatchObject({
      status: 200,
      data: {
        columns: [
          { name: 'New', position: 0 },
          { id: backlog?.id, name: 'Inbox', position: 1 },
        ],
      },
    });

    const second = await organization.call('POST', `/api/projects/${id}/boards`, { name: 'Two' });
    expect(second).toMatchObject({ status: 201, data: { projectId: id, name: 'Two' } });
    expect((await organization.call('GET', `/api/boards/${second.data.id}`)).data).toEqual(second.data);
  });
});
