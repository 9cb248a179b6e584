import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startGateways } from '../support/system.ts';
import { callTool, listTools, sendBatch } from '../support/tool-call.ts';

let system: Awaited<ReturnType<typeof startGateways>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startGateways(2);
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

interface Made {
  readonly id: string;
  readonly key: string;
  readonly rateLimit: { readonly requests: number; readonly windowSeconds: number };
}
async function newKey(rateLimit?: object, permissions?: string[]): Promise<Made> {
  const { data } = await organization.call<Made & Record<string, unknown>>('POST', '/api/api-keys', {
    name: 'Rated',
    ...(rateLimit ? { rateLimit } : {}),
    ...(permissions ? { permissions } : {}),
  });
  return data;
}

const rest = (gateway: number, key: string, path = '/api/me') =>
  fetch(`${system.gateways[gateway]}${path}`, { headers: { authorization: `Bearer ${key}` } });
const mcp = (gateway: number, key: string) => listTools(system.gateways[gateway] ?? '', key);

describe('the rate of a key', () => {
  test('is exact over gateways, and over REST and MCP', async () => {
    const { key, rateLimit } = await newKey({ requests: 50, windowSeconds: 3_600 });
    expect(rateLimit).toEqual({ requests: 50, windowSeconds: 3_600 });
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, number) => (number % 3 === 0 ? mcp : rest)(number % 2, key)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(70);
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"key";q=50;w=3600');
    for (const { headers } of refused) {
      expect(headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    const left = answers.flatMap(({ status, headers }) =>
      status === 200 ? [Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])] : [],
    );
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, number) => number));

    expect(await (await rest(0, key)).json()).toMatchObject({
      success: false,
      error: { code: 'RATE_LIMITED', message: expect.stringContaining('50 requests in 3600 s') },
    });
    expect(await (await mcp(0, key)).json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('50 requests in 3600 s'), data: { code: 'RATE_LIMITED' } },
    });
  });

  test('counts each message of a batch, and refuses those over it by themselves', async () => {
    const { key } = await newKey({ requests: 10, windowSeconds: 3_600 });
    const messages = Array.from({ length: 24 }, (_, id) => ({ id, method: 'ping' }));
    const batch = [...messages.slice(0, 5), { method: 'notifications/initialized' }, ...messages.slice(5)];
    const response = await sendBatch(system.baseUrl, key, batch);
    expect(response.status).toBe(200);
    const answers = (await response.json()) as { id: number; result?: object; error?: { data: object } }[];
    expect(answers.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect(answers.filter(({ result }) => result).map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { error } of answers.slice(9)) {
      expect(error).toMatchObject({
        message: expect.stringContaining('10 requests in 3600 s'),
        data: { code: 'RATE_LIMITED', requestId: response.headers.get('x-request-id') },
      });
    }
    expect(response.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await sendBatch(system.baseUrl, key, batch)).status).toBe(429);
  });

  test('is reported in every answer, including refusals', async () => {
    const { key } = await newKey({ requests: 100 }, ['projects:read']);
    const answers = [
      await rest(0, key),
      await rest(1, key, '/api/projects/0198c0de-0000-7000-8000-000000000000'),
      await rest(0, key, '/api/work-items'),
      await rest(1, key, '/api/projects?limit=1000'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 400]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(Array(4).fill('"key";q=100;w=60'));
    expect(answers.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toEqual([
      '99',
      '98',
      '97',
      '96',
    ]);
  });

  test('counts what its upload tickets send, as often as they are sent', async () => {
    const { key } = await newKey({ requests: 5, windowSeconds: 3_600 });
    const { boardId, columns } = organization;
    const item = { title: 'Has files', type: 'task', boardId, boardColumnId: columns.Backlog };
    const { id: workItemId } = (await organization.call<{ id: string }>('POST', '/api/work-items', item)).data;
    const file = { workItemId, filePath: '/tmp/elsewhere.txt' };
    const { error } = await callTool(system.baseUrl, key, 'upload_work_item_attachment', file);
    const ticket = /ticket=([\w.-]+)/.exec(error?.message ?? '')?.[1] ?? '';
    const path = `/api/work-items/${workItemId}/attachments?ticket=${ticket}`;
    const upload = (gateway: number) => {
      const body = new FormData();
      body.append('file', new Blob(['a file']), 'a.txt');
      return fetch(`${system.gateways[gateway]}${path}`, { method: 'POST', body });
    };
    const answers: Response[] = [];
    for (let number = 0; number < 7; number++) answers.push(await upload(number % 2));
    // With the request that made it, four uses are the fifth.
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429, 429, 429]);
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"key";q=5;w=3600');
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await rest(0, key)).status).toBe(429);
  });

  test('starts afresh with its next window', async () => {
    const { key } = await newKey({ requests: 1, windowSeconds: 1 });
    expect((await rest(0, key)).status).toBe(200);
    // However long that took: there is a window in which it is the second.
    await expect.poll(async () => (await rest(0, key)).status, { interval: 1 }).toBe(429);
    await expect.poll(async () => (await rest(0, key)).status).toBe(200);
  });

  test('is 6 000 a minute unless another one is asked for, and unlimited with 0 requests', async () => {
    const [usual, free] = [await newKey(), await newKey({ requests: 0 })];
    expect([usual.rateLimit, free.rateLimit]).toEqual([
      { requests: 6_000, windowSeconds: 60 },
      { requests: 0, windowSeconds: 60 },
    ]);
    expect((await rest(0, usual.key)).headers.get('ratelimit-policy')).toBe('"key";q=6000;w=60');
    const { headers } = await rest(0, free.key);
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([null, null]);
    const { data } = await organization.call<Made[] & Record<string, unknown>>('GET', '/api/api-keys');
    expect(data.find(({ id }) => id === free.id)?.rateLimit.requests).toBe(0);
  });

  test.each([
    [{ requests: -1 }, 'rateLimit.requests'],
    [{ requests: 1.5 }, 'rateLimit.requests'],
    [{ requests: 1, windowSeconds: 0 }, 'rateLimit.windowSeconds'],
    [{ windowSeconds: 60 }, 'rateLimit.requests'],
  ])('%j is refused', async (rateLimit, path) => {
    const { status, error } = await organization.call('POST', '/api/api-keys', { name: 'x', rateLimit });
    expect({ status, details: error.details?.map((detail) => detail.path) }).toEqual({ status: 400, details: [path] });
  });
});
