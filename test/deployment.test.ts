import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTS_EXCHANGE, LIVE_EXCHANGE, LOG_DEAD_QUEUE, LOG_QUEUE } from '@worktrack/rpc/events/topology';
import { laneQueues, MAX_GENERATIONS } from '@worktrack/rpc/queues';
import { runToEnd } from '@worktrack/stack/processes/run-to-end';
import { TRANSACTION_LIFETIME_SECONDS } from '@worktrack/stack/servers/mongodb';
import { WAL_MAX_ARGS, WAL_MAX_BYTES } from '@worktrack/stack/servers/rabbitmq';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const file = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

test.each([
  'docker-compose.yml',
  'docs/operations.md',
  'deploy/helm/worktrack/values.yaml',
  'deploy/helm/worktrack/templates/NOTES.txt',
])('%s has MongoDB end the transactions of dead processes as soon as the stack does', (path) => {
  const told = [...file(path).matchAll(/transactionLifetimeLimitSeconds(?:=|: )(\d+)/g)].map(([, seconds]) =>
    Number(seconds),
  );
  expect(new Set(told)).toEqual(new Set([TRANSACTION_LIFETIME_SECONDS]));
});

const SERVICES = ['keys', 'workitems', 'feedback', 'events'] as const;
const compose = file('docker-compose.yml');
const chart = file('deploy/helm/worktrack/values.yaml');

const LANES = ['normal', 'long', 'waiting'] as const;
const GENERATIONS = Array.from({ length: MAX_GENERATIONS }, (_, index) => index + 1);

/** What a file has below the name of a service. */
function blockOf(text: string, service: string): string {
  const [, block] = new RegExp(`^  ${service}:\\n((?:    .*\\n|\\n)+)`, 'm').exec(text) ?? [];
  if (block === undefined) throw new Error(`There is no service ${service}.`);
  return block;
}

describe.each([
  ['docker-compose.yml', compose],
  ['the chart', chart],
])('in %s', (_, text) => {
  const signedFor = (service: string) => [
    ...new Set([...blockOf(text, service).matchAll(/RPC_SECRETS_([A-Z]+)/g)].map(([, name]) => name?.toLowerCase())),
  ];

  test.each(SERVICES)('%s has only the key for requests to itself', (service) => {
    expect(signedFor(service)).toEqual([service]);
  });

  test('a gateway has the keys of all services', () => {
    expect(signedFor('gateway')).toEqual(SERVICES);
  });
});

test('the commands of the page about containers set each secret that Compose requires, and each is its own', async () => {
  // It waits: the command after it needs the services.
  const [, commands = ''] =
    /```sh\n(cp \.env\.example [\s\S]*?)docker compose up .*--wait\n/.exec(file('docs/containers.md')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-env-'));
  try {
    copyFileSync(join(import.meta.dirname, '..', '.env.example'), join(folder, '.env.example'));
    const { ok, output } = await runToEnd('sh', ['-ec', commands], process.env, folder);
    expect(ok, output).toBe(true);
    // The last line of a name holds, in Compose as here.
    const lines = readFileSync(join(folder, '.env'), 'utf8').matchAll(/^([A-Z_]+)=(.+)$/gm);
    const set = new Map([...lines].map(([, name, value]) => [name, value]));
    const required = new Set([...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name));
    expect([...set.keys()].toSorted()).toEqual([...required].toSorted());
    expect(new Set(set.values()).size).toBe(required.size);
    for (const [name, value] of set) {
      expect(value, name).toMatch(/SECRETS|SIGNING/.test(`${name}`) ? /^1:\w{32,}$/ : /^\w{32,}$/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('in Compose, what of .env is secret reaches only the services that are given it by name', () => {
  const [, blank = ''] = /^x-environment: .*\n((?: {2}.*\n)+)/m.exec(compose) ?? [];
  const [, inEnv = ''] = /what is secret of them \(([^)]+)\)/.exec(chart) ?? [];
  const secrets = inEnv.split(', ');
  expect(secrets).toContain('PROMPT_API_KEY');
  for (const secret of secrets) {
    expect(blank).toContain(`  ${secret}: ""\n`);
    const holders = SERVICES.filter((service) => blockOf(compose, service).includes(`${secret}: \${${secret}:-}`));
    expect([secret, holders.length]).toEqual([secret, 1]);
  }
});

test('in Compose, clients are given the port of this machine, unless PUBLIC_URL says where they come', async () => {
  const { 'x-environment': ofAll, services } = load(compose) as {
    'x-environment': { PUBLIC_URL: string };
    services: { gateway: { ports: string[] } };
  };
  // The shell replaces variables as Compose does.
  const filled = async (given: Record<string, string>) =>
    (await runToEnd('sh', ['-c', `echo "${services.gateway.ports}=${ofAll.PUBLIC_URL}"`], given)).output.trim();
  const PUBLIC_URL = 'https://worktrack.example';
  expect(await filled({})).toBe('127.0.0.1:3000:3000=');
  expect(await filled({ PORT: '8085' })).toBe('127.0.0.1:8085:3000=http://127.0.0.1:8085');
  expect(await filled({ PORT: '8085', PUBLIC_URL })).toBe(`127.0.0.1:8085:3000=${PUBLIC_URL}`);
});

test('in Compose, the broker begins anew when its configuration, its users or their rights change', () => {
  const { configs, services } = load(compose) as {
    configs: Record<string, { content: string }>;
    services: Record<string, { environment?: Record<string, string>; configs?: { source: string }[] }>;
  };
  // Compose looks at the environment of a container, and not at the content of its configs.
  for (const { environment = {}, configs: sources = [] } of Object.values(services)) {
    const contents = sources.map(({ source }) => configs[source]?.content);
    expect(Object.values(environment)).toEqual(expect.arrayContaining(contents));
  }
  expect(configs['rabbitmq-definitions']?.content).toContain('${RABBITMQ_PASSWORD_EVENTS:');
});

test('in Compose, no health check is a list with spaces in what it holds: the Docker API of Podman 4 splits it there', () => {
  const { services } = load(compose) as { services: Record<string, { healthcheck?: { test: string | string[] } }> };
  const checks = Object.values(services).flatMap(({ healthcheck }) => (healthcheck ? [healthcheck.test] : []));
  expect(checks).toHaveLength(3);
  for (const check of checks) if (typeof check !== 'string') expect(check.join(' ').split(' ')).toEqual(check);
});

test('in Compose, what .env.example names for a gateway to read and write is in a volume, which belongs to the user of the image', () => {
  const { services, volumes } = load(compose) as {
    services: Record<string, { volumes?: string[] }>;
    volumes: Record<string, unknown>;
  };
  const named = ['FEEDBACK_SPOOL_DIR', 'WIDGET_PINNED_DIR', 'LAST_BACKUP_FILE'].map(
    (name) => new RegExp(`^# ${name}=(.+)/`, 'm').exec(file('.env.example'))?.[1],
  );
  const [spool] = named;
  expect(services.gateway?.volumes).toEqual([`gateway:${spool}`]);
  expect(new Set(named)).toEqual(new Set([spool]));
  expect(volumes).toHaveProperty('gateway');
  const [, user] = /^USER (\d+):\1$/m.exec(file('Dockerfile')) ?? [];
  expect(file('Dockerfile')).toContain(`install -d -o ${user} -g ${user} ${spool}\n`);
});

test('in Compose, the broker keeps as little of its log in memory as that of the stack, and stops before its disk is full', () => {
  expect(compose).toContain(`raft.wal_max_size_bytes = ${WAL_MAX_BYTES}\n`);
  expect(compose).toContain(`RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: ${WAL_MAX_ARGS}\n`);
  expect(compose).toContain('disk_free_limit.absolute = 1GB\n');
});

test('feedback and events are scaled by the length of their queues, and have room for that', () => {
  const scaled = SERVICES.filter((service) => /^ {4}scaling: /m.test(blockOf(chart, service)));
  expect(scaled).toEqual(['feedback', 'events']);
  for (const service of scaled) {
    const [, replicas, most] =
      /^ {4}replicas: (\d+)[\s\S]*^ {4}scaling: \{ maxReplicas: (\d+)/m.exec(blockOf(chart, service)) ?? [];
    expect(Number(most)).toBeGreaterThan(Number(replicas));
  }
  const scaling = file('deploy/helm/worktrack/templates/scaling.yaml');
  expect(scaling).toContain('queueName: rpc.{{ $name }}');
  expect(scaling).toContain('key: RABBITMQ_URL_{{ upper $name }}');
});

test('the image’s bill of materials has what runs in it and what its pages contain, and no tool that made it', async () => {
  const [, made = ''] = /^RUN npx (-y pnpm@\S+ sbom .*)$/m.exec(file('Dockerfile')) ?? [];
  const args = made.replace(' --out sbom.cdx.json', '').replaceAll("'", '').split(' ');
  const { ok, output } = await runToEnd('npx', args, process.env, join(import.meta.dirname, '..'));
  expect(ok, output).toBe(true);
  const bill = JSON.parse(output.slice(output.indexOf('{'))) as {
    bomFormat: string;
    components: { name: string; purl: string; externalReferences: { type: string; hashes: object[] }[] }[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'mongoose', 'amqplib', 'dompurify']));
  for (const tool of ['vitest', 'typescript', 'knip', 'playwright-core']) expect(names).not.toContain(tool);
  for (const { name, purl, externalReferences } of bill.components) {
    if (purl.startsWith('pkg:npm/%40worktrack/')) continue;
    const [distribution] = externalReferences.filter(({ type }) => type === 'distribution');
    expect(distribution?.hashes, name).toHaveLength(1);
  }
});

describe('at the broker', () => {
  const permissions = JSON.parse(
    /"permissions": (\[[\s\S]*?\n {8}\])/.exec(compose.replaceAll('$$', '$'))?.[1] ?? '[]',
  ) as { readonly user: string; readonly read: string; readonly write: string; readonly configure: string }[];

  test.each(['gateway', ...SERVICES])('%s has a user of its own, which cannot consume another’s queue', (service) => {
    expect(blockOf(compose, service)).toContain(`amqp://${service}:\${RABBITMQ_PASSWORD_${service.toUpperCase()}:`);
    expect(file('deploy/helm/worktrack/templates/deployments.yaml')).toContain(
      'key: {{ . }}{{ if eq . "RABBITMQ_URL" }}_{{ upper $name }}{{ end }}',
    );
    const own = permissions.filter(({ user }) => user === service);
    expect(own).toHaveLength(1);
    for (const { read, configure } of own) {
      for (const other of SERVICES) {
        // The first queue of a service, the one after the loss of a node, and the one for long operations.
        for (const queue of [`rpc.${other}`, `rpc.${other}.2`, `rpc.${other}.long`]) {
          expect([queue, new RegExp(read).test(queue)]).toEqual([queue, other === service]);
          expect([queue, new RegExp(configure).test(queue)]).toEqual([queue, other === service]);
        }
      }
    }
  });

  // A passive declaration, as it is since RabbitMQ 4.2.7 and 4.3.1 (github.com/rabbitmq/rabbitmq-server/pull/16272).
  test.each(['gateway', ...SERVICES])('%s has some right to each queue and exchange that it looks at', (service) => {
    const ofCalls = SERVICES.flatMap((called) =>
      LANES.flatMap((lane) =>
        GENERATIONS.flatMap((generation) => {
          const { requests, dead } = laneQueues(called, lane, generation);
          return [requests, dead];
        }),
      ),
    );
    const seen = [
      EVENTS_EXCHANGE,
      LIVE_EXCHANGE,
      LOG_QUEUE,
      ...(service === 'gateway' ? [LOG_DEAD_QUEUE, ...ofCalls] : []),
    ];
    const rights = permissions
      .filter(({ user }) => user === service)
      .flatMap(({ read, write, configure }) => [read, write, configure]);
    expect(seen.filter((name) => !rights.some((right) => new RegExp(right).test(name)))).toEqual([]);
  });
});
