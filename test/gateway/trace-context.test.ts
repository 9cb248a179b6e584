import type { Operation } from '@worktrack/contracts/operation';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver } from '@worktrack/runtime/process/metrics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Broker, connectBroker } from '../../libs/rpc/connection.ts';
import { type RpcServer, serveRpc } from '../../libs/rpc/server.ts';
import type { CallContext, RpcHandlers } from '../../libs/rpc/types.ts';
import { requestSignerOf } from '../../libs/runtime/process/request-signers.ts';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

/** By request: the trace context with which the service was called. */
const arrived = new Map<string, string | undefined>();
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
let broker: Broker;
let server: RpcServer;

/** In place of the service, on its queue: it records what its handlers are called with, and refuses. */
const note = async (_: unknown, context: CallContext<'NOT_FOUND'>): Promise<never> => {
  arrived.set(context.requestId, context.traceparent);
  throw context.fail('NOT_FOUND', 'There is nothing here.');
};

function handlerOf({ bytes }: Operation) {
  if (bytes === 'up') return { upload: (input: unknown, _: unknown, context: never) => note(input, context) };
  return bytes === 'down' ? { download: note } : { one: note };
}

beforeAll(async () => {
  system = await startSystem({ env: { TRUST_TRACEPARENT: 'true' } });
  organization = await system.newOrganization();
  for (const { part } of system.services.of('workitems')) await part.kill();
  const log = createLog('test', 'silent');
  broker = await connectBroker({ url: system.rabbitmqUrl, name: 'test', log });
  const operations = Object.entries<Operation>(workItemsContract.operations);
  server = await serveRpc({
    broker,
    contract: workItemsContract,
    handlers: Object.fromEntries(
      operations.map(([name, operation]) => [name, handlerOf(operation)]),
    ) as unknown as RpcHandlers<typeof workItemsContract>,
    signer: requestSignerOf('workitems', system.secrets.RPC_SECRETS_WORKITEMS),
    log,
    observer: rpcObserver,
  });
});
afterAll(async () => {
  await server?.stop();
  await broker?.close();
  await system?.stop();
});

const SPAN = '00f067aa0ba902b7';
const traceparent = (index: number) => `00-${index.toString(16).padStart(32, '0')}-${SPAN}-01`;
const NUMBERS = Array.from({ length: 40 }, (_, index) => index + 1);

test('the trace context of each request reaches its handler, even if many travel in one message', async () => {
  const requestIds = await Promise.all(
    NUMBERS.map(async (number) => {
      const { headers, status } = await organization.call('GET', '/api/work-items/W-T-1', undefined, {
        traceparent: traceparent(number),
      });
      expect(status).toBe(404);
      return headers.get('x-request-id') as string;
    }),
  );
  expect(requestIds.map((requestId) => arrived.get(requestId))).toEqual(NUMBERS.map(traceparent));
});

test('the trace context of a tool call reaches its handler', async () => {
  const response = await fetch(`${system.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${organization.apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      traceparent: traceparent(99),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_work_item', arguments: { id: 'W-T-1' } },
    }),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('There is nothing here.');
  expect(arrived.get(response.headers.get('x-request-id') ?? '')).toBe(traceparent(99));
});

test('a request without a trace context, or with an invalid one, has none', async () => {
  for (const given of [undefined, { traceparent: 'nonsense' }]) {
    const { headers } = await organization.call('GET', '/api/work-items/W-T-1', undefined, given);
    const requestId = headers.get('x-request-id') as string;
    expect(arrived.has(requestId)).toBe(true);
    expect(arrived.get(requestId)).toBeUndefined();
  }
});
