import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { runSystem } from '../support/run-system.ts';
import { askRun, newLease, newVirtualHost } from '../support/servers.ts';
import { type Fixture, fixtures, indexNames, restore, SECRETS } from './fixture.ts';

interface Item {
  readonly id: string;
  readonly taskId: string;
  readonly version: number;
  readonly boardId: string;
  readonly columnName: string;
}

describe.each(fixtures().map((fixture) => [fixture.version, fixture] as const))(
  'a start on the databases that release %s left',
  (_version, fixture: Fixture) => {
    const { shown } = fixture;
    let system: Awaited<ReturnType<typeof runSystem>>;
    let call: TestOrganization['call'];
    let baseUrl: string;

    beforeAll(async () => {
      const [lease, rabbitmq] = await Promise.all([newLease(), newVirtualHost(), askRun('served')]);
      await restore(fixture, lease.mongodbUrl, lease.databasePrefix);
      system = await runSystem(lease, { env: SECRETS, envOf: () => SECRETS, urls: { rabbitmq } });
      baseUrl = system.gateways[0] as string;
      call = caller(baseUrl, shown.apiKey.join(''));
    });
    afterAll(() => system?.stop());

    test.each(Object.keys(shown.answers))('shows %s as before', async (path) => {
      const { status, data } = await call('GET', path);
      expect(status).toBe(200);
      // A release may add fields, and removes none. Leases have ended since, and with each what it had set.
      const { isAiProcessing: _, ...before } = shown.answers[path] as { readonly isAiProcessing?: boolean };
      expect(data).toMatchObject(Array.isArray(shown.answers[path]) ? shown.answers[path] : before);
    });

    test('has every index that a new database has', async () => {
      const [lease, rabbitmq] = await Promise.all([newLease(), newVirtualHost()]);
      const fresh = await runSystem(lease, { urls: { rabbitmq } });
      try {
        const upgraded = await indexNames(lease.mongodbUrl, system.databasePrefix);
        expect(upgraded).toEqual(expect.arrayContaining(await indexNames(lease.mongodbUrl, lease.databasePrefix)));
      } finally {
        await fresh.stop();
      }
    });

    test('continues with the items: they change, their numbers go up, their files are read', async () => {
      const [, epicId] = shown.itemIds;
      const { data: epic } = await call<Item>('GET', `/api/work-items/${epicId}`);
      const changed = await call<Item>('PATCH', `/api/work-items/${epicId}`, { title: 'Exports, again' });
      expect(changed.data).toMatchObject({ version: epic.version + 1, taskId: epic.taskId });
      const { data: board } = await call<{ columns: { id: string; name: string }[] }>(
        'GET',
        `/api/boards/${epic.boardId}`,
      );
      const column = (name: string) => board.columns.find((each) => each.name === name)?.id;
      const created = await call<Item>('POST', '/api/work-items', {
        type: 'task',
        title: 'The next one',
        boardId: epic.boardId,
        boardColumnId: column('Backlog'),
      });
      const numberOf = (taskId: string) => Number(taskId.split('-').at(-1));
      const earlier = await Promise.all(
        shown.itemIds.map(async (id) => (await call<Item>('GET', `/api/work-items/${id}`)).data.taskId),
      );
      expect(numberOf(created.data.taskId)).toBeGreaterThan(Math.max(...earlier.map(numberOf)));
      const moved = await call('POST', `/api/work-items/${created.data.id}/move`, { boardColumnId: column('Done') });
      expect(moved.status).toBe(200);

      const { workItemId, fileName, sha256 } = shown.attachment;
      const url = `${baseUrl}/api/work-items/${workItemId}/attachments/local?key=${fileName}`;
      const file = await fetch(url, { headers: { authorization: `Bearer ${shown.apiKey.join('')}` } });
      expect(
        createHash('sha256')
          .update(Buffer.from(await file.arrayBuffer()))
          .digest('hex'),
      ).toBe(sha256);
    });

    test('finds its items and its feedback by their words, and pages through them', async () => {
      const wordOf = (text: string) => text.match(/\p{L}+/u)?.[0].toUpperCase() ?? '';
      type Listed = { workItems: { id: string; title: string }[]; nextCursor: string | null };
      const { data } = await call<Listed>('GET', '/api/work-items?limit=1');
      const [item] = data.workItems;
      const found = await call<Listed>('GET', `/api/work-items?search=${wordOf(item?.title ?? '')}`);
      expect(found.data.workItems.map(({ id }) => id)).toContain(item?.id);
      const next = await call<Listed>('GET', `/api/work-items?limit=1&cursor=${data.nextCursor}`);
      expect(next.data.workItems).toHaveLength(1);
      expect(next.data.workItems[0]?.id).not.toBe(item?.id);

      type Inbox = { items: { id: string; message: string }[] };
      const [feedback] = (await call<Inbox>('GET', '/api/feedback/items')).data.items;
      const inbox = await call<Inbox>('GET', `/api/feedback/items?search=${wordOf(feedback?.message ?? '')}`);
      expect(inbox.data.items.map(({ id }) => id)).toContain(feedback?.id);
    });

    test('accepts feedback for its source, and its keys are listed and revoked', async () => {
      const { publicKey } = shown;
      const path = `/feedback/widget/bootstrap?publicKey=${publicKey}`;
      const { token } = (await call<{ token: string }>('GET', path)).data;
      const submitted = await call('POST', '/feedback/ingest', {
        publicKey,
        token,
        message: `After it ${randomUUID()}`,
      });
      expect(submitted.status).toBe(201);
      const inbox = await call<{ items: { id: string }[] }>('GET', '/api/feedback/items');
      expect(inbox.data.items[0]?.id).toBe(submitted.data.id);
      expect(inbox.data.items).toHaveLength(2);
      const { data: keys } = await call<{ id: string; name: string }[]>('GET', '/api/api-keys');
      const reads = keys.find(({ name }) => name === 'Reads');
      expect((await call('DELETE', `/api/api-keys/${reads?.id}`)).status).toBe(200);
    });

    test('erases what the sender of its feedback submitted, by their address', async () => {
      const sent = Object.values(fixture.databases.feedback?.items?.documents ?? []).filter(({ email }) => email);
      expect(sent.length).toBeGreaterThan(0);
      const [{ email } = { email: '' }] = sent;
      const { data } = await call('POST', '/api/feedback/erase', { email: email.toUpperCase() });
      expect(data).toEqual({ erased: sent.filter((item) => item.email === email).length });
    });
  },
);
