import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';

/** The SDK is one for a process, so each test has a process of its own, which does what it is told, line by line. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { startSdk } from ${JSON.stringify(join(import.meta.dirname, 'sdk.ts'))};
  const say = (fields, message) => console.log(JSON.stringify({ ...fields, message }));
  const tracing = startSdk('worktrack-test', { warn: say, info: say });
  for await (const line of createInterface(process.stdin)) {
    if (line === 'span') tracing.begin('internal', 'test', {}).end({}, true);
    if (line !== 'stop') continue;
    const startedAtMs = performance.now();
    await tracing.stop().catch((error) => say({}, error.message));
    say({ ms: performance.now() - startedAtMs }, 'stopped');
    process.exit();
  }`;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A collector of OTLP as JSON. `status`: what it answers, or nothing. */
async function collector() {
  const state = { status: undefined as number | undefined, services: [] as unknown[], requests: 0, url: '' };
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: what a stranger sent, by https://github.com/open-telemetry/opentelemetry-proto
    const body = (await json(request)) as any;
    state.requests++;
    const [{ resource }] = body.resourceSpans;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    state.services.push(resource.attributes.find(({ key }: any) => key === 'service.name')?.value.stringValue);
    if (state.status !== undefined) response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

function traced(url: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '10' },
      ...env,
    },
  });
  ends.push(() => child.kill('SIGKILL'));
  const lines: { readonly message: string; readonly reason?: string; readonly ms?: number }[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  return { lines, tell: (what: 'span' | 'stop') => child.stdin.write(`${what}\n`) };
}

const WAIT = { timeout: 30_000 };

test('a collector that refuses is told once, and once more when it takes traces again', async () => {
  const there = await collector();
  there.status = 400;
  const { lines, tell } = traced(there.url);
  for (let refused = 1; refused <= 3; refused++) {
    tell('span');
    await expect.poll(() => there.requests, WAIT).toBe(refused);
  }
  there.status = 200;
  tell('span');
  await expect.poll(() => lines, WAIT).toHaveLength(2);
  tell('span');
  tell('stop');
  await expect
    .poll(() => lines, WAIT)
    .toMatchObject([
      { message: 'Traces cannot be sent; they are dropped until they can', reason: 'Bad Request (400)' },
      { message: 'Traces are sent again' },
      { message: 'stopped' },
    ]);
});

test('a collector that does not answer delays a shutdown by 2 s', async () => {
  const there = await collector();
  const { lines, tell } = traced(there.url);
  tell('span');
  await expect.poll(() => there.requests, WAIT).toBe(1);
  tell('span');
  tell('stop');
  await expect.poll(() => lines.at(-1)?.message, WAIT).toBe('stopped');
  expect(lines[0]?.message).toBe('The collector has not taken them within 2000 ms');
  expect(lines[1]?.ms).toBeLessThan(4_000);
});

test.each([
  [{}, 'worktrack-test'],
  [{ OTEL_SERVICE_NAME: 'ours' }, 'ours'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=a, service.name=theirs' }, 'theirs'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs', OTEL_SERVICE_NAME: 'ours' }, 'ours'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=a', OTEL_SERVICE_NAME: ' ' }, 'worktrack-test'],
])('with %o the service is called %s', async (env, name) => {
  const there = await collector();
  there.status = 200;
  const { tell } = traced(there.url, env);
  tell('span');
  await expect.poll(() => there.services, WAIT).toEqual([name]);
});
