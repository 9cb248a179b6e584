import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { needPrometheus } from '@worktrack/stack/monitoring/find-prometheus';
import { DASHBOARDS } from '@worktrack/stack/monitoring/panels';
import { type PrometheusServer, startPrometheus } from '@worktrack/stack/monitoring/prometheus';
import { Progress } from '@worktrack/stack/report/progress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSource, visitor } from '../feedback/visitor.ts';
import { StreamReader } from '../support/event-stream.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, startSystem } from '../support/system.ts';
import { callTool } from '../support/tool-call.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';
import { PrometheusApi } from './prometheus-api.ts';

const programs = await needPrometheus(new Progress(process.stderr)).catch((error: Error) => error.message);
const reason = typeof programs === 'string' ? programs : undefined;
/** A little of everything, all the time. */
const ROUND_MS = 300;
/** Grafana's is longer; the collection here happens every 5 s. */
const RATE_INTERVAL = '30s';

const monitoring = (name: string) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'deploy/monitoring', name), 'utf8');

describe.skipIf(reason)(`with a real Prometheus${reason ? ` (not here: ${reason})` : ''}`, () => {
  let system: Awaited<ReturnType<typeof startSystem>>;
  let prometheus: PrometheusServer;
  let api: PrometheusApi;
  let endpoint: Endpoint;
  let failing: Endpoint;
  let stream: StreamReader;
  const over = new AbortController();
  let load: Promise<void>;

  beforeAll(async () => {
    // Each submission comes from another address, as it would.
    system = await startSystem({ env: { TRUST_PROXY: 'loopback' } });
    prometheus = await startPrometheus(
      (programs as { prometheus: string }).prometheus,
      join(system.folder, 'prometheus'),
      join(system.folder, 'logs', 'prometheus.log'),
      system.services.replicas,
    );
    api = new PrometheusApi(prometheus.url);
    const organization = await system.newOrganization();
    endpoint = await Endpoint.start();
    await organization.call('POST', '/api/webhooks', { url: endpoint.url, types: ['work_item.*'] });
    // Only a webhook that something waits for is shown, and whoever answers has nothing waiting most of the time.
    failing = await Endpoint.start(() => 500);
    await organization.call('POST', '/api/webhooks', { url: failing.url, types: ['work_item.*'] });
    stream = await StreamReader.open(system.baseUrl, organization.apiKey);
    load = work(system, organization, over.signal);
  });
  afterAll(async () => {
    over.abort();
    stream?.leave();
    await load;
    await endpoint?.stop();
    await failing?.stop();
    await prometheus?.part.kill();
    await system?.stop();
  });

  const queries = DASHBOARDS.flatMap(({ title, panels }) =>
    panels.flatMap(({ question, queries }) =>
      Object.entries(queries).map(([legend, query]) => [`${title}: ${question} (${legend})`, query] as const),
    ),
  );

  test.each(queries)(
    '%s',
    async (_, query) => {
      const now = query.replaceAll('$__rate_interval', RATE_INTERVAL);
      await expect.poll(async () => (await api.query(now)).length).toBeGreaterThan(0);
    },
    90_000,
  );

  test('whatever a service exports is in a panel, in a rule, or an exception with a reason', async () => {
    const shown = `${queries.map(([, query]) => query).join('\n')}\n${monitoring('rules.yaml')}`;
    const exceptions = Object.entries(JSON.parse(monitoring('exceptions.json')) as Record<string, string>);
    for (const [, why] of exceptions) expect(why.length).toBeGreaterThan(10);
    const isException = (name: string) =>
      exceptions.some(([except]) => (except.endsWith('*') ? name.startsWith(except.slice(0, -1)) : name === except));
    const metrics = async () => (await api.metricNames()).filter((name) => /^(worktrack_|process_|nodejs_)/.test(name));
    // Once all have been collected, and had something to do.
    await expect.poll(metrics, { timeout: 60_000 }).toContain('worktrack_http_request_seconds_count');
    const exported = await metrics();
    const names = new Set(exported.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([...names].filter((name) => !shown.includes(name) && !isException(name))).toEqual([]);
  }, 90_000);

  test('nothing wakes anybody while all is well', async () => {
    expect((await api.firing()).filter(({ severity }) => severity === 'page')).toEqual([]);
  });
});

/** What agents, people and visitors do, so that each panel has something to show. */
async function work({ baseUrl }: System, organization: TestOrganization, over: AbortSignal): Promise<void> {
  const { call, boardId, columns, apiKey } = organization;
  const source = await newSource(organization);
  while (!over.aborted) {
    const task = { title: 'Measured', type: 'task', boardId, boardColumnId: columns['To Do'] };
    const { data: item } = await call<{ id: string }>('POST', '/api/work-items', task);
    await call('POST', '/api/work-items/claim', { ids: [item.id], agent: 'agent', leaseSeconds: 60 });
    await call('POST', `/api/work-items/${item.id}/release`, {});
    await callTool(baseUrl, apiKey, 'add_work_item_comment', { workItemId: item.id, text: 'Done' });
    await callTool(baseUrl, apiKey, 'get_work_item', { workItemId: item.id });
    await visitor(baseUrl).submit(source);
    const reader = await StreamReader.open(baseUrl, apiKey);
    reader.leave();
    await delay(ROUND_MS, undefined, { signal: over }).catch(() => {});
  }
}
