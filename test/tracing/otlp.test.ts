import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILE_CACHE } from '@worktrack/stack/compile-cache';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { startSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';

/** In every text, name and address: nowhere in what is sent. */
const CANARY = `canary-${randomUUID()}`;

let receiver: OtlpReceiver;
let endpoint: Endpoint;
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  endpoint = await Endpoint.start();
  system = await startSystem({
    replicas: { gateway: 2 },
    // Nothing by chance: what is sent is sampled by somebody who is trusted, or failed, or slow.
    env: { ...receiver.env, OTEL_TRACES_SAMPLER_ARG: '0', TRUST_PROXY: 'loopback' },
    envOf: (id): Record<string, string> => (id === 'gateway-2' ? { TRUST_TRACEPARENT: 'true' } : {}),
  });
  organization = await system.newOrganization();
});
afterAll(async () => {
  await system?.stop();
  await endpoint?.stop();
  await receiver?.stop();
});

function newTrace() {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
}

const trusting = () => system.gateways[1] as string;
const itemOf = (title: string) => ({
  ...{ title, description: CANARY, type: 'task' },
  ...{ boardId: organization.boardId, boardColumnId: organization.columns['To Do'] },
});
async function ask(baseUrl: string, method: string, path: string, traceparent: string, body?: unknown) {
  return await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json', traceparent },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The spans of a trace, once there is one for which this holds. */
async function spansOf(traceId: string, isLast: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]> {
  let found: ReceivedSpan[] = [];
  const last = async () => {
    found = (await receiver.spans()).filter((span) => span.traceId === traceId);
    return found.some(isLast);
  };
  await expect.poll(last, { timeout: 30_000, interval: 500 }).toBe(true);
  return found;
}
const isHttp = ({ parentSpanId, kind }: ReceivedSpan) => kind === 'server' && parentSpanId === '00f067aa0ba902b7';

test('a call is one trace from the request to each command of the database, and the message that carried it is linked', async () => {
  const { traceId, traceparent } = newTrace();
  expect((await ask(trusting(), 'POST', '/api/work-items', traceparent, itemOf(CANARY))).status).toBe(201);
  const spans = await spansOf(traceId, isHttp);
  const [http] = spans.filter(isHttp);
  const [client] = spans.filter((span) => span.name === 'workItems.create' && span.kind === 'client');
  const [server] = spans.filter((span) => span.name === 'workItems.create' && span.kind === 'server');
  expect(http).toMatchObject({
    ...{ service: 'worktrack-gateway', name: 'POST /api/work-items', hasFailed: false },
    attributes: {
      ...{ 'http.request.method': 'POST', 'http.route': '/api/work-items', 'http.response.status_code': 201 },
      ...{ 'worktrack.organization.id': organization.organizationId, 'worktrack.operation': 'workItems.create' },
      'worktrack.outcome': 'ok',
    },
  });
  expect(client).toMatchObject({
    ...{ service: 'worktrack-gateway', parentSpanId: http?.spanId },
    attributes: { 'worktrack.organization.id': organization.organizationId, 'worktrack.operation': 'workItems.create' },
  });
  expect(server).toMatchObject({
    ...{ service: 'worktrack-workitems', parentSpanId: client?.spanId },
    attributes: {
      ...{ 'rpc.method': 'workItems.create', 'worktrack.organization.id': organization.organizationId },
      'worktrack.outcome': 'ok',
    },
  });
  const commands = spans.filter(({ attributes }) => attributes['db.system.name'] === 'mongodb');
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) expect(command).toMatchObject({ kind: 'client', parentSpanId: server?.spanId });
  expect(commands.map(({ name }) => name)).toContain('find boards');

  const batchOf = async () =>
    (await receiver.spans()).find(
      ({ kind, links }) => kind === 'consumer' && links.some(({ spanId }) => spanId === client?.spanId),
    );
  await expect.poll(batchOf).toMatchObject({
    ...{ service: 'worktrack-workitems', name: 'process rpc.workitems' },
    attributes: {
      ...{ 'messaging.system': 'rabbitmq', 'messaging.destination.name': 'rpc.workitems' },
      'messaging.batch.message_count': 1,
    },
  });
});

test('a tool has a span of its own, and calls that share a message each have theirs', async () => {
  const traces = Array.from({ length: 12 }, newTrace);
  await Promise.all(
    traces.map(({ traceparent }) =>
      callTool(trusting(), organization.apiKey, 'list_work_items', {}, { headers: { traceparent } }),
    ),
  );
  const calls: string[] = [];
  for (const { traceId } of traces) {
    const spans = await spansOf(traceId, isHttp);
    const tool = spans.find(({ name }) => name === 'tools/call list_work_items');
    expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'list_work_items', 'worktrack.outcome': 'ok' });
    const below = spans.filter(({ parentSpanId }) => parentSpanId === tool?.spanId);
    expect(below).toMatchObject([{ name: 'workItems.list', kind: 'client' }]);
    calls.push(below[0]?.spanId ?? '');
  }
  const batches = (await receiver.spans()).filter(({ kind }) => kind === 'consumer');
  const linking = batches.filter(({ links }) => links.some(({ spanId }) => calls.includes(spanId)));
  const linked = linking.flatMap(({ links }) => links.map(({ spanId }) => spanId));
  expect(linked.filter((spanId) => calls.includes(spanId)).toSorted()).toEqual(calls.toSorted());
  for (const { links, attributes } of linking) expect(attributes['messaging.batch.message_count']).toBe(links.length);
});

test('what somebody else wrote into a header makes nothing be sent; of a failure it is a link, and the log names the trace beside the request', async () => {
  const before = (await receiver.spans()).length;
  const foreign = newTrace();
  for (let i = 0; i < 20; i++) await ask(system.baseUrl, 'GET', '/api/me', foreign.traceparent);
  const [workitems] = system.services.of('workitems');
  await workitems?.part.kill();
  const response = await ask(system.baseUrl, 'GET', '/api/work-items', foreign.traceparent);
  await workitems?.part.restart();
  expect(response.status).toBe(503);
  const failed = async () =>
    (await receiver.spans()).slice(before).filter(({ attributes }) => attributes['http.response.status_code'] === 503);
  await expect.poll(async () => (await failed()).length).toBe(1);
  const [http] = await failed();
  expect(http).toMatchObject({ hasFailed: true, parentSpanId: '', links: [{ traceId: foreign.traceId }] });
  expect(http?.traceId).not.toBe(foreign.traceId);
  const spans = (await receiver.spans()).slice(before);
  expect(spans.filter(({ traceId }) => traceId === foreign.traceId)).toEqual([]);
  const call = spans.find(({ traceId, kind }) => traceId === http?.traceId && kind === 'client');
  expect(call).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'UNAVAILABLE' } });
  const requestId = response.headers.get('x-request-id') ?? '?';
  const lines = () => {
    const logs = readFileSync(join(system.folder, 'logs', 'gateway.log'), 'utf8').split('\n');
    return logs.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line));
  };
  await expect.poll(lines).toMatchObject([{ status: 503, trace_id: http?.traceId }]);
  const again = async () => (await ask(system.baseUrl, 'GET', '/api/work-items', newTrace().traceparent)).status;
  await expect.poll(again).toBe(200);
});

test('what takes longer than a second is kept, as an exemplar too', async () => {
  const path = '/api/work-items/claim';
  const other = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Without tasks' });
  expect(other).toMatchObject({ status: 201 });
  const claim = { agent: 'patient', projectId: other.data.id, waitSeconds: 2 };
  expect((await ask(system.baseUrl, 'POST', path, newTrace().traceparent, claim)).status).toBe(200);
  const slow = async () =>
    (await receiver.spans()).filter(({ attributes }) => attributes['http.route'] === path).at(-1) as ReceivedSpan;
  await expect.poll(slow).toMatchObject({ hasFailed: false });
  const { traceId, durationMs } = await slow();
  expect(durationMs).toBeGreaterThan(1_000);
  const own = await spansOf(traceId, ({ service, kind }) => service === 'worktrack-workitems' && kind === 'server');
  expect(own.map(({ name }) => name)).toContain('workItems.claim');
  const [gateway] = system.services.of('gateway');
  const metrics = await (await fetch(`${gateway?.opsUrl}/metrics`)).text();
  expect(metrics).toContain(`# {trace_id="${traceId}"`);
  expect(metrics.trimEnd().endsWith('# EOF')).toBe(true);
});

test('a webhook that is refused is a trace of its own', async () => {
  endpoint.answers(() => 500);
  await organization.call('POST', '/api/webhooks', { url: `${endpoint.url}/${CANARY}`, types: ['work_item.created'] });
  await organization.call('POST', '/api/work-items', itemOf(`Told ${CANARY}`));
  const sent = async () => (await receiver.spans()).find(({ name }) => name === 'POST webhook');
  await expect.poll(sent).toMatchObject({
    ...{ service: 'worktrack-events', kind: 'client', hasFailed: true },
    attributes: {
      'worktrack.organization.id': organization.organizationId,
      ...{ 'worktrack.outcome': 'refused', 'http.response.status_code': 500 },
    },
  });
});

test('nothing that people wrote, no name and no address is in what is sent', async () => {
  const source = await newSource(organization, { name: CANARY });
  const { traceparent } = newTrace();
  const token = await visitor(trusting()).token(source);
  const body = { publicKey: source.publicKey, token, message: CANARY, email: `${CANARY}@example.com` };
  const sent = await visitor(trusting()).ingest(body, { traceparent });
  expect(sent.status).toBe(201);
  await spansOf(traceparent.slice(3, 35), isHttp);
  const everything = Buffer.concat(receiver.bodies).toString('latin1');
  expect(everything).toContain('feedback.ingest');
  for (const secret of [CANARY, organization.apiKey, source.publicKey, token, '@example.com', '198.1', endpoint.url]) {
    expect(everything).not.toContain(secret);
  }
});

test('without an endpoint nothing of OpenTelemetry is loaded', () => {
  const main = join(import.meta.dirname, '..', '..', 'services');
  for (const service of readdirSync(main)) {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      process.exit = () => { console.log(JSON.stringify(loaded)); process.reallyExit(0); };
      await import(${JSON.stringify(join(main, service, 'main.ts'))});`;
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      env: { ...env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    });
    const loaded = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[];
    expect(loaded.some((url) => url.endsWith('/tracing/tracing.ts'))).toBe(true);
    // prom-client brings the interface, which does nothing.
    expect(loaded.filter((url) => /@opentelemetry\/(?!api\/)|tracing\/sdk/.test(url))).toEqual([]);
  }
});
