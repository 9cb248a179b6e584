import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

const CALLERS = 50;

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;

beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, workitems: 2, feedback: 2 } });
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

/** The same request, at once, by callers that are spread over both gateways. */
function together(method: string, path: string, body: unknown, key: string) {
  return Promise.all(
    Array.from({ length: CALLERS }, (_, number) =>
      caller(system.gateways[number % 2] as string, organization.apiKey)(method, path, body, {
        'idempotency-key': key,
      }),
    ),
  );
}

describe('one idempotency key used by 50 concurrent callers over two gateways', () => {
  test('creates one item, and answers all of them the same', async () => {
    const title = `Once ${randomUUID()}`;
    const { boardId, columns } = organization;
    const item = { title, type: 'task', boardId, boardColumnId: columns.Backlog };
    const answers = await together('POST', '/api/work-items', item, randomUUID());
    expect(new Set(answers.map(({ status, data }) => JSON.stringify([status, data]))).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
    const listed = await organization.call<{ pagination: { total: number } }>(
      'GET',
      `/api/work-items?search=${encodeURIComponent(title)}`,
    );
    expect(listed.data.pagination.total).toBe(1);
  });

  test('claims one item', async () => {
    const answers = await together(
      'POST',
      '/api/work-items/claim',
      { agent: 'many', projectId: organization.projectId },
      randomUUID(),
    );
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(answers[0]?.data.claimed).toBe(true);
  });

  test('submits one piece of feedback', async () => {
    const source = await organization.call<{ publicKey: string }>('POST', '/api/feedback/sources', {
      name: 'Once',
      type: 'server',
      requireCaptcha: false,
      rateLimit: { perIp: 1_000, perSource: 1_000, windowSeconds: 60 },
    });
    const { publicKey } = source.data;
    const bootstrap = await organization.call<{ token: string }>(
      'GET',
      `/feedback/widget/bootstrap?publicKey=${publicKey}`,
    );
    const submission = { publicKey, token: bootstrap.data.token, message: `Once ${randomUUID()}` };
    const answers = await together('POST', '/feedback/ingest', submission, randomUUID());
    expect(new Set(answers.map(({ status, data }) => JSON.stringify([status, data]))).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const inbox = await organization.call<{ items: unknown[] }>('GET', '/api/feedback/items');
    expect(inbox.data.items).toHaveLength(1);
  });
});
