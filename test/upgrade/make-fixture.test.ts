import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { startSystem } from '../support/system.ts';
import { dump, type Fixture, fixturePath, SECRETS, type Shown } from './fixture.ts';

/** For the release that is about to be made: `WORKTRACK_FIXTURE=0.2.0 npm test -- test/upgrade/make-fixture.test.ts`, on its commit. */
const VERSION = process.env.WORKTRACK_FIXTURE;

test.skipIf(!VERSION)('keeps what this release leaves in its databases, for the releases after it', async () => {
  const path = fixturePath(VERSION as string);
  expect(existsSync(path)).toBe(false);
  const system = await startSystem({ env: SECRETS, envOf: () => SECRETS });
  try {
    const { call, boardId, columns, apiKey, projectId } = await system.newOrganization();
    const create = async (type: string, title: string, extra: object = {}) => {
      const body = { type, title, boardId, boardColumnId: columns.Backlog, ...extra };
      return (await call<{ id: string; taskId: string }>('POST', '/api/work-items', body)).data;
    };
    const idea = await create('idea', 'Exports should survive a reload');
    const epic = await create('epic', 'Exports');
    const feature = await create('feature', 'Resume an export', { parentId: epic.id });
    const story = await create('story', 'As a user I see how far it is', { parentId: feature.id });
    const first = await create('task', 'Keep the progress', { parentId: story.id, metadata: { ideaId: idea.id } });
    const second = await create('task', 'Show the progress – größer, 進捗', {
      parentId: story.id,
      metadata: { dependsOn: [first.taskId], nested: { list: [1, null, 'a'] } },
    });
    const items = [idea, epic, feature, story, first, second];
    await call('POST', `/api/work-items/${first.id}/comments`, { text: 'Where is it kept?' });
    await call('POST', `/api/work-items/${first.id}/move`, { boardColumnId: columns['In Progress'] });
    await call('POST', `/api/work-items/${first.id}/ai-completion`, {
      reviewColumnId: columns.Review,
      model: 'gpt-4o',
      totalTokens: 12_000,
    });
    await call('POST', '/api/work-items/claim', { ids: [second.id], agent: 'upgrader' });
    await call('PATCH', `/api/work-items/${epic.id}`, { description: 'All that is exported.', priority: 'high' });

    const bytes = Buffer.from('What an earlier release stored.\n'.repeat(100));
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: 'text/plain' }), 'notes.txt');
    await fetch(`${system.baseUrl}/api/work-items/${first.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: form,
    });

    const user = await call<{ id: string }>('POST', '/api/users', {
      email: 'viewer@example.com',
      name: 'Viewer',
      role: 'viewer',
    });
    await call('POST', '/api/api-keys', { name: 'Reads', userId: user.data.id, permissions: ['work-items:read'] });
    const source = await call<{ publicKey: string }>('POST', '/api/feedback/sources', {
      name: 'Server',
      type: 'server',
      requireCaptcha: false,
      allowedDomains: [],
    });
    const { publicKey } = source.data;
    const token = (await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`)).data
      .token;
    const feedback = await call<{ id: string }>('POST', '/feedback/ingest', {
      publicKey,
      token,
      message: 'My export is gone when I reload.',
      category: 'bug',
      email: 'visitor@example.com',
    });
    await call('POST', `/api/feedback/items/${feedback.data.id}/links`, { workItemId: idea.id });

    const paths = [
      ...items.flatMap(({ id }) => [`/api/work-items/${id}`, `/api/work-items/${id}/events`]),
      '/api/work-items',
      '/api/work-items?search=progress',
      `/api/work-items/${first.id}/attachments`,
      `/api/work-items/${idea.id}/trace`,
      `/api/ai-usage?projectId=${projectId}`,
      `/api/projects/${projectId}`,
      `/api/boards/${boardId}`,
      '/api/users',
      '/api/feedback/sources',
      '/api/feedback/items',
    ];
    const answers: Record<string, unknown> = {};
    for (const path of paths) {
      const { status, data } = await call('GET', path);
      expect([path, status]).toEqual([path, 200]);
      answers[path] = data;
    }
    const shown: Shown = {
      apiKey: [apiKey.slice(0, 11), apiKey.slice(11)],
      itemIds: items.map(({ id }) => id),
      attachment: {
        workItemId: first.id,
        fileName: 'notes.txt',
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
      publicKey,
      answers,
    };
    const databases = await dump(system.urls.mongodb, system.databasePrefix);
    const fixture: Fixture = { version: VERSION as string, databases, shown };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${BSON.EJSON.stringify(fixture, undefined, 1, { relaxed: false })}\n`);
  } finally {
    await system.stop();
  }
});
