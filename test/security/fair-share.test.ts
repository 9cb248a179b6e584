import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { callTool, sendBatch } from '../support/tool-call.ts';

let system: Awaited<ReturnType<typeof startSystem>>;
beforeAll(async () => {
  system = await startSystem({ env: { CALLS_PER_ORGANIZATION: '3', CALLS_PER_KEY: '2' } });
});
afterAll(() => system?.stop());

async function waiting(): Promise<number> {
  const text = await (await fetch(`${system.services.of('gateway')[0]?.opsUrl}/metrics`)).text();
  return Number(/^worktrack_gateway_waiting_calls (\d+)$/m.exec(text)?.[1]);
}

test('what exceeds the share of a key and of an organization waits, for 5 s, and nobody else does', async () => {
  const [one, other] = [await system.newOrganization(), await system.newOrganization()];
  const { data: second } = await one.call<{ key: string }>('POST', '/api/api-keys', { name: 'Second' });
  const me = async (key: string, signal?: AbortSignal) =>
    (await fetch(`${system.baseUrl}/api/me`, { headers: { authorization: `Bearer ${key}` }, signal })).status;
  const list = () => one.call('GET', '/api/work-items');

  const workitems = system.services.of('workitems')[0]?.part;
  workitems?.kill('SIGSTOP');
  try {
    // They hold the two places of their key for as long as the service is frozen.
    const held = [list(), list()];
    const late = [list(), callTool(system.baseUrl, one.apiKey, 'get_board', { id: one.boardId })];
    await expect.poll(waiting).toBe(2);
    // The third place of the organization is another key's, and another organization has its own places.
    expect(await me(second.key)).toBe(200);
    expect(await me(other.apiKey)).toBe(200);

    // A client that has gone no longer waits.
    const gone = new AbortController();
    const left = me(one.apiKey, gone.signal).catch(() => 'gone');
    await expect.poll(waiting).toBe(3);
    gone.abort();
    expect(await left).toBe('gone');
    await expect.poll(waiting).toBeLessThanOrEqual(2);

    const [byRest, byTool] = await Promise.all(late);
    expect(byRest?.status).toBe(429);
    expect(byRest?.headers.get('retry-after')).toBe('1');
    expect(byRest?.error).toMatchObject({ code: 'RATE_LIMITED' });
    expect(byTool?.status).toBe(429);
    expect(byTool?.error?.message).toMatch(/exceeds its share of concurrent calls/);
    expect(await waiting()).toBe(0);
    workitems?.kill('SIGCONT');
    for (const { status } of await Promise.all(held)) expect([200, 503, 504]).toContain(status);
  } finally {
    workitems?.kill('SIGCONT');
  }
  expect((await list()).status).toBe(200);
});

test('each message of a batch takes its own place, also after a claim that gave its place back to wait', async () => {
  const one = await system.newOrganization();
  const feedback = system.services.of('feedback')[0]?.part;
  feedback?.kill('SIGSTOP');
  try {
    const tool = (id: number, name: string, args: object) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const batch = [
      tool(1, 'claim_work_item', { agent: 'Batch', projectId: one.projectId, waitSeconds: 1 }),
      tool(2, 'list_feedback', {}),
    ];
    const batches = Array.from({ length: 3 }, () => sendBatch(system.baseUrl, one.apiKey, batch));
    await expect.poll(waiting).toBe(1);
    feedback?.kill('SIGCONT');
    for (const response of await Promise.all(batches)) {
      expect(await response.json()).toMatchObject([
        { id: 1, result: { structuredContent: { claimed: false } } },
        { id: 2, result: { structuredContent: { items: [] } } },
      ]);
    }
  } finally {
    feedback?.kill('SIGCONT');
  }
});

test('however many slow uploads and unread downloads one organization has, another uploads and downloads', async () => {
  const [one, other] = [await system.newOrganization(), await system.newOrganization()];
  const item = async ({ boardId, columns, call }: TestOrganization) => {
    const task = { title: 'Has files', type: 'task', boardId, boardColumnId: columns.Backlog };
    return (await call<{ id: string }>('POST', '/api/work-items', task)).data.id;
  };
  const pathOf = (id: string) => `${system.baseUrl}/api/work-items/${id}/attachments`;
  const upload = async ({ apiKey }: TestOrganization, id: string, name: string, bytes: number) => {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(bytes)]), name);
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(pathOf(id), { method: 'POST', headers, body });
    await response.body?.cancel();
    return response.status;
  };
  const [ours, theirs] = [await item(one), await item(other)];
  // More than fits into the buffers of a connection.
  expect(await upload(one, ours, 'large', 20 * 1024 * 1024)).toBe(201);
  const headers = { authorization: `Bearer ${one.apiKey}` };
  const slow = Array.from({ length: 140 }, (_, number) => {
    if (number % 2 === 0) {
      return request(`${pathOf(ours)}/local?key=large`, { headers }).on('response', (response) => response.pause());
    }
    const type = 'multipart/form-data; boundary=b';
    const sending = request(pathOf(ours), { method: 'POST', headers: { ...headers, 'content-type': type } });
    sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n1');
    return sending;
  });
  try {
    for (const sending of slow) sending.on('error', () => {}).flushHeaders();
    await expect.poll(waiting).toBeGreaterThan(100);
    expect(await upload(other, theirs, 'small', 1_000)).toBe(201);
    const read = await fetch(`${pathOf(theirs)}/local?key=small`, {
      headers: { authorization: `Bearer ${other.apiKey}` },
    });
    expect((await read.bytes()).length).toBe(1_000);
  } finally {
    for (const sending of slow) sending.destroy();
  }
  // What they held is free again.
  await expect.poll(() => upload(one, ours, randomUUID(), 1_000)).toBe(201);
});
