import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { NotificationSettings } from '@worktrack/contracts/events/notifications';
import type { Webhook } from '@worktrack/contracts/events/webhook';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestUser } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';

/** In each, some calls are answered before the change, and some are under way. */
const ROUNDS = 3;
const CALLS = 12;

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

const URL_OF_NOBODY = 'https://hooks.invalid/outlasting';

type Changed = Pick<Webhook, 'id' | 'enabled' | 'updatedAt'>;

/** Makes the change once the first of the calls is answered, while the others are under way. @returns the answers, and what `look` found right after the change */
async function during<Found>(
  calls: readonly (() => Promise<Answer<unknown>>)[],
  change: () => Promise<Answer<unknown>>,
  look: () => Promise<Found>,
): Promise<{ readonly answers: readonly Answer<unknown>[]; readonly found: Found }> {
  const underWay = calls.map((each) => each());
  await Promise.race(underWay);
  expect((await change()).status).toBe(200);
  const found = await look();
  return { found, answers: await Promise.all(underWay) };
}

const lostRights = (answers: readonly Answer<unknown>[]) =>
  answers.filter(({ error }) => error?.message.includes('lost rights')).length;

describe('a call that is under way while rights are taken away', () => {
  test('leaves no webhook and no source that a list after the revocation does not show', {
    timeout: 60_000,
  }, async () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const organization = await system.newOrganization();
      const { keyId, call } = await organization.newUser({ role: 'admin' });
      const listed = async () => {
        const [webhooks, sources] = await Promise.all(
          ['/api/webhooks', '/api/feedback/sources'].map((path) => organization.call<{ id: string }[]>('GET', path)),
        );
        return [...(webhooks?.data ?? []), ...(sources?.data ?? [])].map(({ id }) => id);
      };
      const { answers, found } = await during(
        Array.from(
          { length: CALLS },
          (_, n) => () =>
            n % 2
              ? call('POST', '/api/webhooks', { url: URL_OF_NOBODY })
              : call('POST', '/api/feedback/sources', { name: 'Left behind' }),
        ),
        () => organization.call('DELETE', `/api/api-keys/${keyId}`),
        listed,
      );
      refused += lostRights(answers);
      const left = await listed();
      expect(left.filter((id) => !found.includes(id))).toEqual([]);
      const made = answers.flatMap(({ status, data }) => (status === 201 ? [(data as { id: string }).id] : []));
      expect(left.toSorted()).toEqual(made.toSorted());
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('leaves no webhook with a new secret, and no source with other settings, that goes on after the revocation', {
    timeout: 60_000,
  }, async () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const organization = await system.newOrganization();
      const { keyId, call } = await organization.newUser({ role: 'admin' });
      const made = await Promise.all([
        organization.call<Changed>('POST', '/api/webhooks', { url: URL_OF_NOBODY }),
        organization.call<Changed>('POST', '/api/feedback/sources', { name: 'Changed' }),
      ]);
      const [webhook, source] = made.map(
        ({ data }, n) => `${n ? '/api/feedback/sources' : '/api/webhooks'}/${data.id}`,
      );
      const shown = () =>
        Promise.all([webhook, source].map(async (path) => (await organization.call<Changed>('GET', `${path}`)).data));
      const { answers, found } = await during(
        Array.from(
          { length: CALLS },
          (_, n) => () => (n % 2 ? call('POST', `${webhook}/rotate`) : call('PATCH', `${source}`, { enabled: true })),
        ),
        () => organization.call('DELETE', `/api/api-keys/${keyId}`),
        shown,
      );
      refused += lostRights(answers);
      const left = await shown();
      const goingOn = left.filter(({ enabled }) => enabled);
      expect(goingOn.filter((each) => found.every(({ updatedAt }) => updatedAt !== each.updatedAt))).toEqual([]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('leaves no webhook of somebody who is demoted', { timeout: 60_000 }, async () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const organization = await system.newOrganization();
      const { id: userId, call } = await organization.newUser({ role: 'admin' });
      const { data: theirs } = await organization.call<Webhook>('POST', '/api/webhooks', { url: URL_OF_NOBODY });
      const { answers } = await during(
        Array.from(
          { length: CALLS },
          (_, n) => () =>
            n % 2
              ? call('POST', '/api/webhooks', { url: URL_OF_NOBODY })
              : call('PATCH', `/api/webhooks/${theirs.id}`, { url: `${URL_OF_NOBODY}/${n}` }),
        ),
        () => organization.call('PATCH', `/api/users/${userId}`, { role: 'viewer' }),
        async () => undefined,
      );
      refused += lostRights(answers);
      await expect
        .poll(
          async () => {
            const { data } = await organization.call<Webhook[]>('GET', '/api/webhooks');
            return data.filter(({ enabled, maker }) => enabled && maker.userId === userId);
          },
          { timeout: 10_000 },
        )
        .toEqual([]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('has nobody who is limited to projects told of others', { timeout: 60_000 }, async () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const organization = await system.newOrganization();
      const { projectId } = organization;
      const { id: userId, call } = await organization.newUser();
      const { answers } = await during(
        Array.from(
          { length: CALLS },
          () => () => call('PATCH', '/api/me/notifications', { webhook: { url: URL_OF_NOBODY, format: 'slack' } }),
        ),
        () => organization.call('PATCH', `/api/users/${userId}`, { projects: [projectId] }),
        async () => undefined,
      );
      refused += lostRights(answers);
      await expect
        .poll(
          async () => {
            const { data } = await call<NotificationSettings>('GET', '/api/me/notifications');
            return data.webhook === null || JSON.stringify(data.projects.webhook) === JSON.stringify([projectId]);
          },
          { timeout: 10_000 },
        )
        .toBe(true);
    }
    expect(refused).toBeGreaterThan(0);
  });
});

/** Sends a part of a file, which is on its way once this resolves. @returns sends the rest, and returns the status of the answer */
async function beginUpload(path: string, key: string | undefined): Promise<() => Promise<number | undefined>> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b', expect: '100-continue' };
  const sending = request(`${system.baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }) },
  });
  sending.flushHeaders();
  await once(sending, 'continue');
  sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nfirst');
  return async () => {
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end(' last\r\n--b--\r\n');
    const [response] = await answered;
    response.resume();
    return response.statusCode;
  };
}

describe('an upload, which lasts as long as its client likes', () => {
  test.each<
    [string, number, (of: TestUser, projects: readonly string[]) => [method: string, path: string, body?: object]]
  >([
    ['a revoked key', 401, ({ keyId }) => ['DELETE', `/api/api-keys/${keyId}`]],
    ['somebody who was demoted', 403, ({ id }) => ['PATCH', `/api/users/${id}`, { role: 'viewer' }]],
    ['somebody who lost the project', 403, ({ id }, projects) => ['PATCH', `/api/users/${id}`, { projects }]],
  ])('leaves nothing of %s behind', async (_, status, change) => {
    const organization = await system.newOrganization();
    const { boardId, columns, call } = organization;
    const item = { title: 'Has files', type: 'task', boardId, boardColumnId: columns.Backlog };
    const { id: workItemId } = (await call<{ id: string }>('POST', '/api/work-items', item)).data;
    const { id: elsewhere } = (await call<{ id: string }>('POST', '/api/projects', { name: 'Elsewhere' })).data;
    const [ada, bob] = [await organization.newUser(), await organization.newUser()];
    const path = `/api/work-items/${workItemId}/attachments`;
    const file = { workItemId, filePath: '/tmp/elsewhere.txt' };
    const { error } = await callTool(system.baseUrl, ada.key, 'upload_work_item_attachment', file);
    const ticket = /ticket=([\w.-]+)/.exec(error?.message ?? '')?.[1] ?? '';
    const ends = [
      await beginUpload(path, ada.key),
      await beginUpload(`${path}?ticket=${ticket}`, undefined),
      await beginUpload(path, bob.key),
    ];
    // It comes to the gateway after the others, and so does what is looked up for it.
    expect((await ada.call('GET', '/api/me')).status).toBe(200);
    expect((await call(...change(ada, [elsewhere]))).status).toBe(200);
    expect(await Promise.all(ends.map((end) => end()))).toEqual([status, status, 201]);
    expect((await call<unknown[]>('GET', path)).data).toHaveLength(1);
  });
});
