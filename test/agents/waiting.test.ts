import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLIENT_KINDS, connectMcp } from '../mcp/connect.ts';
import type { Answer, TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, workitems: 3 } });
});
afterAll(() => system?.stop());
beforeEach(async () => {
  organization = await system.newOrganization();
});

interface Claim {
  readonly claimed: boolean;
  readonly workItem: WorkItem | null;
  readonly lease: { readonly token: string } | null;
  readonly reason?: string;
}

interface Options {
  readonly gateway?: number;
  readonly apiKey?: string;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

async function claim(
  body: object,
  { gateway = 0, apiKey = organization.apiKey, key, signal }: Options = {},
): Promise<Answer<Claim>> {
  const response = await fetch(`${system.gateways[gateway]}/api/work-items/claim`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ agent: 'agent', projectId: organization.projectId, ...body }),
    signal: signal ?? null,
  });
  return {
    status: response.status,
    headers: response.headers,
    ...((await response.json()) as object),
  } as Answer<Claim>;
}

async function createTask(title = 'A task'): Promise<WorkItem> {
  const { boardId, columns } = organization;
  const fields = { title, type: 'task', boardId, boardColumnId: columns.Backlog };
  return (await organization.call<WorkItem>('POST', '/api/work-items', fields)).data;
}

const replicas = () => system.services.of('workitems');

/** How many claims are waiting at each replica that answers. */
async function waitingAt(): Promise<number[]> {
  return Promise.all(
    replicas().map(async ({ opsUrl }) => {
      const metrics = await fetch(`${opsUrl}/metrics`).then(
        (response) => response.text(),
        () => '',
      );
      return Number(/^worktrack_waiting_claims (\d+)$/m.exec(metrics)?.[1] ?? 0);
    }),
  );
}
const areWaiting = (count: number) =>
  expect.poll(async () => (await waitingAt()).reduce((sum, at) => sum + at, 0)).toBe(count);

describe('a claim that waits', () => {
  test('with nothing to get is answered when its time is up, with the reason', async () => {
    const startedAtMs = performance.now();
    const { status, data } = await claim({ waitSeconds: 1 });
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_000);
    expect(status).toBe(200);
    expect(data).toMatchObject({ claimed: false, reason: 'There is no pending task in the project.' });
  });

  test('is not one of the calls in progress of its key', async () => {
    const left = new AbortController();
    const waiting = Array.from({ length: 60 }, () => claim({ waitSeconds: 55 }, { signal: left.signal }));
    await areWaiting(60);
    expect((await organization.call('GET', '/api/projects')).status).toBe(200);
    left.abort();
    await Promise.allSettled(waiting);
    await areWaiting(0);
  });

  test('of a client that disconnects gets nothing', async () => {
    const left = new AbortController();
    const gone = claim({ waitSeconds: 55 }, { signal: left.signal });
    const stays = claim({ waitSeconds: 55 }, { gateway: 1 });
    await areWaiting(2);
    left.abort();
    await expect(gone).rejects.toThrow();
    await areWaiting(1);
    const { id } = await createTask();
    expect((await stays).data.workItem?.id).toBe(id);
  });

  test('gets the task that becomes ready, one each for 200, across gateways and the loss of two replicas', async () => {
    const AGENTS = 200;
    const waiting = Array.from({ length: AGENTS }, (_, n) =>
      claim({ agent: `agent ${n}`, waitSeconds: 55 }, { gateway: n % 2, key: `${organization.projectId} ${n}` }),
    );
    await areWaiting(AGENTS);
    const created: string[] = [];
    const trickle = async (count: number) => {
      for (let n = 0; n < count; n++) created.push((await createTask(`Task ${created.length}`)).id);
    };
    await trickle(20);
    for (let lost = 0; lost < 2; lost++) {
      const at = await waitingAt();
      const active = replicas()[at.findIndex((count) => count > 0)];
      await active?.part.kill();
      await trickle(20);
    }
    await trickle(AGENTS - created.length);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ data }) => data.workItem?.id).sort()).toEqual(created.sort());
    // A repeated call finds what it has claimed.
    const again = await claim({ agent: 'agent 7', waitSeconds: 55 }, { key: `${organization.projectId} 7` });
    expect(again.data.lease).toEqual(answers[7]?.data.lease);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('with a key that is revoked meanwhile is refused, and nothing stays claimed for it', async () => {
    const { data: key } = await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', {
      name: 'agent',
    });
    const waiting = claim({ waitSeconds: 55 }, { apiKey: key.key });
    await areWaiting(1);
    await organization.call('DELETE', `/api/api-keys/${key.id}`);
    // Waiting claims may hear of the revocation before the caches do: then the answer is to claim again, which is refused.
    const { error, data } = await waiting;
    expect(error?.code ?? data.reason).toMatch(/^API_KEY_INVALID$|Claim again\.$/);
    expect((await claim({}, { apiKey: key.key })).error.code).toBe('API_KEY_INVALID');
    const { id } = await createTask();
    expect((await claim({})).data.workItem?.id).toBe(id);
  });

  test.each(CLIENT_KINDS)('waits as a tool: %s', async (kind) => {
    const client = await connectMcp(kind, system.baseUrl, organization.apiKey, organization.projectId);
    const waiting = client.call('claim_work_item', { agent: 'agent', waitSeconds: 55 });
    await areWaiting(1);
    const { id } = await createTask();
    expect((await waiting).structuredContent).toMatchObject({ claimed: true, workItem: { id } });
    await client.close();
  });

  test.each(CLIENT_KINDS)('whose tool call is cancelled ends: %s', async (kind) => {
    const connect = () => connectMcp(kind, system.baseUrl, organization.apiKey, organization.projectId);
    const [gives, stays] = await Promise.all([connect(), connect()]);
    const left = new AbortController();
    // With the same ids, for both clients count alike.
    const given = gives.call('claim_work_item', { agent: 'gives up', waitSeconds: 55 }, {}, left.signal);
    await areWaiting(1);
    const waiting = stays.call('claim_work_item', { agent: 'stays', waitSeconds: 55 });
    await areWaiting(2);
    left.abort();
    await expect(given).rejects.toThrow();
    await areWaiting(1);
    const { id } = await createTask();
    expect((await waiting).structuredContent).toMatchObject({ claimed: true, workItem: { id } });
    await Promise.all([gives.close(), stays.close()]);
  });

  test('is cancelled at another gateway than where it waits, by its own session alone', async () => {
    const send = (gateway: number, session: string, message: object) =>
      fetch(`${system.gateways[gateway]}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${organization.apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const params = {
      name: 'claim_work_item',
      arguments: { agent: 'agent', projectId: organization.projectId, waitSeconds: 55 },
    };
    const waiting = ['one', 'other'].map((session) => send(0, session, { id: 1, method: 'tools/call', params }));
    await areWaiting(2);
    const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } });
    for (const [session, requestId] of [
      ['third', 1],
      ['other', '1'],
      ['other', 2],
    ] as const) {
      expect((await send(1, session, cancel(requestId))).status).toBe(202);
    }
    expect((await send(1, 'one', cancel(1))).status).toBe(202);
    expect(await (await waiting[0])?.json()).toMatchObject({ id: 1, result: { isError: true } });
    await areWaiting(1);
    const { id } = await createTask();
    expect(await (await waiting[1])?.json()).toMatchObject({
      result: { structuredContent: { claimed: true, workItem: { id } } },
    });
  });

  test('at a gateway that stops ends, and can be repeated elsewhere with its key', async () => {
    const key = organization.projectId;
    const waiting = claim({ waitSeconds: 55 }, { gateway: 1, key });
    await areWaiting(1);
    const [, stopping] = system.services.of('gateway');
    await stopping?.part.stop();
    expect(await waiting).toMatchObject({ status: 503, error: { code: 'UNAVAILABLE' } });
    const again = claim({ waitSeconds: 55 }, { key });
    await areWaiting(1);
    const { id } = await createTask();
    expect((await again).data.workItem?.id).toBe(id);
  });
});
