import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '@worktrack/stack/processes/run-to-end';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedSystem } from '../support/system.ts';
import { findHelm, type KubernetesObject, render, runHelm, validate } from './helm.ts';

const SERVICES = ['events', 'feedback', 'gateway', 'keys', 'workitems'];
const deploy = join(import.meta.dirname, '../../deploy');
const found = await findHelm();
const reason = 'missing' in found ? found.missing : undefined;
const helm = 'helm' in found ? found.helm : '';

const EVERYTHING = {
  'externalSecret.enabled': true,
  'networkPolicies.enabled': true,
  'ingress.enabled': true,
  'ingress.host': 'work.example',
  'gatewayApi.enabled': true,
  'gatewayApi.host': 'work.example',
  'gatewayApi.parentRefs': [{ name: 'public' }],
  'autoscaling.enabled': true,
  'autoscaling.callsInProgress.enabled': true,
  'monitoring.podMonitors.enabled': true,
  'monitoring.rules.enabled': true,
  'monitoring.dashboards.enabled': true,
  'monitoring.runbooks': 'https://wiki.example/runbooks',
  'tests.existingSecret': 'test-key',
  existingSecret: 'of-ours',
  'image.pullSecrets': [{ name: 'registry' }],
  priorityClassName: 'high',
  nodeSelector: { pool: 'work' },
  tolerations: [{ key: 'work', operator: 'Exists' }],
  'service.annotations': { 'balancer.example/internal': 'true' },
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  extraVolumes: [{ name: 'spool', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'spool', mountPath: '/spool' }],
};

describe.skipIf(reason)(`the chart${reason ? ` (not here: ${reason})` : ''}`, { timeout: 120_000 }, () => {
  let plain: KubernetesObject[];
  let all: KubernetesObject[];
  beforeAll(async () => {
    plain = await render(helm, {});
    all = await render(helm, EVERYTHING);
  });
  const namesOf = (objects: readonly KubernetesObject[], kind: string) =>
    objects.flatMap((each) => (each.kind === kind ? [each.metadata.name] : [])).toSorted();
  const ofServices = SERVICES.map((name) => `wt-${name}`);
  const pods = (objects: readonly KubernetesObject[]) =>
    objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => (spec as { template: { spec: PodSpec } }).template.spec);

  const policyOf = (objects: readonly KubernetesObject[], service: string) => {
    const found = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `wt-${service}`);
    return found?.spec as unknown as PolicySpec;
  };

  test('has, by default, what every cluster has, and nothing that needs an operator', () => {
    expect(new Set(plain.map(({ kind }) => kind))).toEqual(
      new Set(['Deployment', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'Pod']),
    );
    for (const kind of ['Deployment', 'ServiceAccount', 'PodDisruptionBudget']) {
      expect(namesOf(plain, kind)).toEqual(ofServices);
    }
  });

  test('has everything that can be enabled, each once', () => {
    const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(namesOf(all, 'NetworkPolicy')).toEqual(ofServices);
    expect(namesOf(all, 'HorizontalPodAutoscaler')).toEqual(['wt-gateway', 'wt-keys', 'wt-workitems']);
    for (const kind of ['Ingress', 'HTTPRoute', 'PodMonitor', 'PrometheusRule', 'ExternalSecret']) {
      expect(namesOf(all, kind)).toHaveLength(1);
    }
  });

  test.each(['volumes', 'priorityClassName', 'imagePullSecrets', 'nodeSelector', 'tolerations'] as const)(
    'gives every pod the %s of the values',
    (field) => {
      const given = {
        volumes: EVERYTHING.extraVolumes,
        priorityClassName: 'high',
        imagePullSecrets: EVERYTHING['image.pullSecrets'],
        nodeSelector: EVERYTHING.nodeSelector,
        tolerations: EVERYTHING.tolerations,
      };
      for (const pod of pods(all)) expect(pod[field]).toEqual(given[field]);
      for (const pod of pods(plain)) expect(pod[field]).toBeUndefined();
    },
  );

  test('puts a service on nodes of its own, beside what is said for all', async () => {
    const values = {
      nodeSelector: { pool: 'work', zone: 'a' },
      tolerations: [{ key: 'work' }],
      services: { gateway: { nodeSelector: { zone: 'b' }, tolerations: [{ key: 'edge' }] } },
    };
    const rendered = pods(await render(helm, values));
    const placeOf = (service: string) => rendered.find(({ containers }) => containers[0]?.name === service);
    expect(placeOf('gateway')).toMatchObject({
      nodeSelector: { pool: 'work', zone: 'b' },
      tolerations: [{ key: 'work' }, { key: 'edge' }],
    });
    expect(placeOf('keys')).toMatchObject({
      nodeSelector: { pool: 'work', zone: 'a' },
      tolerations: [{ key: 'work' }],
    });
  });

  test('takes the image by its digest, where one is given', async () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    const images = (objects: readonly KubernetesObject[]) =>
      new Set(pods(objects).map(({ containers }) => containers[0]?.image));
    expect(images(await render(helm, { image: { digest, tag: 'unused' } }))).toEqual(new Set([`worktrack@${digest}`]));
    expect(images(await render(helm, { image: { tag: 'v2' } }))).toEqual(new Set(['worktrack:v2']));
  });

  test('gives every container the environment, the mounts, the Secret and the probes', () => {
    for (const { containers, automountServiceAccountToken, topologySpreadConstraints } of pods(all)) {
      const [container] = containers as [Container];
      expect(container.env).toContainEqual({ name: 'TZ', value: 'UTC' });
      expect(container.volumeMounts).toEqual(EVERYTHING.extraVolumeMounts);
      const secrets = container.env.flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef.name] : []));
      expect(new Set(secrets)).toEqual(new Set(['of-ours']));
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        expect(container[probe]).toHaveProperty('httpGet');
      }
      expect(container.resources).toHaveProperty('limits.memory');
      expect(automountServiceAccountToken).toBe(false);
      expect(topologySpreadConstraints).toHaveLength(2);
    }
    const [gateway] = pods(all).filter(({ containers }) => containers[0]?.name === 'gateway');
    expect(gateway?.containers[0]?.lifecycle).toHaveProperty('preStop');
  });

  test('gives every container the further settings as they were written', async () => {
    const env = { CAPTCHA_SITE_KEY: 10_000_000, CAPTCHA_MIN_SCORE: 0.7, TRUST_TRACEPARENT: true, MAIL_FROM: '007 "x"' };
    for (const { containers } of pods(await render(helm, { env }))) {
      const given = containers[0]?.env.filter(({ name }) => name in env).map(({ name, value }) => [name, value]);
      expect(Object.fromEntries(given ?? [])).toEqual({
        ...{ CAPTCHA_SITE_KEY: '10000000', CAPTCHA_MIN_SCORE: '0.7', TRUST_TRACEPARENT: 'true', MAIL_FROM: '007 "x"' },
      });
    }
  });

  test('gives every container each name once, from the values where they repeat one of the Secret', async () => {
    const RABBITMQ_URL = 'amqp://of-values';
    const extraEnv = [{ name: 'MONGODB_URL', value: 'mongodb://of-values' }];
    const rendered = await render(helm, { env: { RABBITMQ_URL, RPC_SECRETS_KEYS: '1:of-values' }, extraEnv });
    for (const { containers } of pods(rendered)) {
      const env = containers[0]?.env ?? [];
      const names = env.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
      expect(env).toEqual(expect.arrayContaining([{ name: 'RABBITMQ_URL', value: RABBITMQ_URL }, ...extraEnv]));
    }
  });

  /** The oldest that it supports, one between, and the newest. */
  test.each(['1.30', '1.33', '1.37'])('is valid, to the letter, for Kubernetes %s', async (version) => {
    for (const objects of [plain, all]) {
      const { errors, unknown, passed } = await validate(objects, version);
      expect(errors).toEqual([]);
      // Of operators, not of Kubernetes itself.
      const ofOperators = ['ExternalSecret', 'HTTPRoute', 'PodMonitor', 'PrometheusRule'];
      expect(unknown).toEqual(objects === all ? ofOperators : []);
      expect(passed).toBe(objects.filter(({ kind }) => !ofOperators.includes(kind)).length);
    }
  });

  test('an object with a field that Kubernetes does not know is none', async () => {
    const [{ spec, ...rest }] = plain.filter(({ kind }) => kind === 'Deployment') as [KubernetesObject];
    const wrong = { ...rest, spec: { ...(spec as object), replica: 2 } as never };
    const { errors } = await validate([wrong], '1.33');
    expect(errors).toEqual([expect.stringContaining("'replica' was unexpected")]);
  });

  test('what scales a service decides on its replicas alone', () => {
    for (const { kind, metadata, spec } of all) {
      if (kind !== 'Deployment') continue;
      const isScaled = namesOf(all, 'HorizontalPodAutoscaler').includes(metadata.name);
      expect('replicas' in (spec as object), metadata.name).toBe(!isScaled);
    }
  });

  test('lets each service talk to the servers whose addresses it gets, clients to the gateway, and nobody to the others', () => {
    const servers: Record<string, number> = { RABBITMQ_URL: 5672, REDIS_URL: 6379, MONGODB_URL: 27017 };
    for (const service of SERVICES) {
      const { ingress, egress, policyTypes } = policyOf(all, service);
      expect(policyTypes).toEqual(['Ingress', 'Egress']);
      const [container] = pods(all).flatMap(({ containers }) => containers.filter(({ name }) => name === service));
      const used = container?.env.flatMap(({ name }) => (name in servers ? [servers[name]] : [])) ?? [];
      const allowed = egress.flatMap(({ ports, to }) => (to ? [] : ports.map(({ port }) => port)));
      expect(new Set(allowed)).toEqual(new Set([53, ...used]));
      const open = ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
      expect(open).toEqual(service === 'gateway' ? ['http', 'ops'] : ['ops']);
    }
  });

  test('lets each service talk to whom it does in the picture of ARCHITECTURE.md', () => {
    const architecture = readFileSync(join(deploy, '../ARCHITECTURE.md'), 'utf8');
    const drawn = architecture.matchAll(/══ (\w+) ─+► ([\w, ]+)(; internet: .+)?$/gm);
    const servers = new Map(Array.from(drawn, ([, name, to = '', internet]) => [name, { to, internet }]));
    expect([...servers.keys()].toSorted()).toEqual(SERVICES.filter((name) => name !== 'gateway'));
    for (const service of SERVICES) {
      const { to, internet } = servers.get(service) ?? { to: 'Redis', internet: undefined };
      const { egress } = policyOf(all, service);
      const open = egress.flatMap(({ ports, to }) => (to ? [] : ports.map(({ port }) => port)));
      expect([open.includes(6379), open.includes(27017)], service).toEqual([
        to.includes('Redis'),
        to.includes('MongoDB'),
      ]);
      expect(
        egress.some(({ to }) => to?.some(({ ipBlock }) => ipBlock)),
        service,
      ).toBe(internet !== undefined);
    }
  });

  test('scales the gateway by the calls that it waits for, and services by those that they are working on', () => {
    const metrics = all.flatMap(({ kind, metadata, spec }) => {
      if (kind !== 'HorizontalPodAutoscaler') return [];
      const { metrics } = spec as unknown as { metrics: { pods?: { metric: { name: string } } }[] };
      return [[metadata.name, metrics.flatMap(({ pods }) => pods?.metric.name ?? [])]];
    });
    expect(Object.fromEntries(metrics)).toEqual({
      'wt-gateway': ['worktrack_rpc_pending_calls'],
      'wt-keys': ['worktrack_rpc_working_calls'],
      'wt-workitems': ['worktrack_rpc_working_calls'],
    });
  });

  test('lets `helm test` in where only some may reach the gateway, and some services out to the internet, to no address within', async () => {
    const clients = { namespaceSelector: { matchLabels: { name: 'clients' } } };
    const objects = await render(helm, { 'networkPolicies.enabled': true, 'networkPolicies.ingressFrom': [clients] });
    const pod = objects.find(({ kind }) => kind === 'Pod');
    const [some] = policyOf(objects, 'gateway').ingress;
    const labels = { 'app.kubernetes.io/instance': 'wt', 'app.kubernetes.io/component': 'test' };
    expect(some?.from).toEqual([clients, { podSelector: { matchLabels: labels } }]);
    expect(pod?.metadata.labels).toMatchObject(labels);
    const outside = policyOf(objects, 'events').egress.flatMap(({ to }) => to ?? []);
    expect(outside.map(({ ipBlock }) => ipBlock?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
    const within = outside.flatMap(({ ipBlock }) => ipBlock?.except ?? []);
    expect(within).toEqual(expect.arrayContaining(['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', 'fc00::/7']));
    expect(policyOf(objects, 'gateway').egress.every(({ to }) => to === undefined)).toBe(true);
  });

  test('hands over the alerts with links to where the runbooks are, and the dashboards unchanged', () => {
    const rules = all.find(({ kind }) => kind === 'PrometheusRule')?.spec as unknown as {
      groups: { rules: { annotations?: { runbook_url: string } }[] }[];
    };
    const links = rules.groups.flatMap(({ rules }) =>
      rules.flatMap(({ annotations }) => annotations?.runbook_url ?? []),
    );
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(link).toMatch(/^https:\/\/wiki\.example\/runbooks#worktrack\w+$/);
    const dashboards = all.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.values(data));
    const files = readdirSync(join(deploy, 'monitoring/dashboards'));
    const written = files.map((file) => readFileSync(join(deploy, 'monitoring/dashboards', file), 'utf8'));
    expect(dashboards.map((json) => JSON.parse(json))).toEqual(written.map((json) => JSON.parse(json)));
    const monitor = JSON.stringify(all.find(({ kind }) => kind === 'PodMonitor'));
    expect(monitor).toContain('worktrack-$1');
  });

  test.each([
    ['a value that does not exist', { 'ingress.hostname': 'work.example' }, /hostname/],
    ['an ingress without a host', { 'ingress.enabled': true }, /host/],
    [
      'to scale the gateway by a queue, for it has none',
      { 'services.gateway.scaling': { maxReplicas: 5, queueLength: 20 } },
      /scaling/,
    ],
    [
      'a misspelt limit',
      { 'services.keys.resources.limit': { memory: '1Gi' } },
      /'limit' not allowed|property limit is not allowed/,
    ],
    ['a number of replicas that is none', { 'services.keys.replicas': 0 }, /replicas/],
    [
      'two scalers of one service',
      {
        'keda.enabled': true,
        'autoscaling.enabled': true,
        'services.feedback.autoscaling': { maxReplicas: 5, cpuUtilization: 70 },
      },
      /services\.feedback has both/,
    ],
  ])('refuses %s, and says which', async (_, values, message) => {
    const { ok, output } = await runHelm(helm, values);
    expect(ok).toBe(false);
    expect(output).toMatch(message);
  });

  test('with KEDA, scales feedback and events by their queues', async () => {
    const scaled = await render(helm, { 'keda.enabled': true });
    expect(namesOf(scaled, 'ScaledObject')).toEqual(['wt-events', 'wt-feedback']);
    const ofOneBroker = await render(helm, { 'keda.enabled': true, 'keda.existingSecret': 'for-keda' });
    const addresses = ofOneBroker.flatMap(({ kind, spec }) =>
      kind === 'TriggerAuthentication' ? (spec as { secretTargetRef: object[] }).secretTargetRef : [],
    );
    expect(addresses).toEqual([
      { parameter: 'host', name: 'for-keda', key: 'RABBITMQ_URL_EVENTS' },
      { parameter: 'host', name: 'for-keda', key: 'RABBITMQ_URL_FEEDBACK' },
    ]);
  });
});

test('what `helm test` runs creates a task, claims it and deletes it', async () => {
  const system = await sharedSystem();
  const { apiKey, boardId, call } = await system.newOrganization();
  const env = { ...process.env, WORKTRACK_URL: system.baseUrl, WORKTRACK_API_KEY: apiKey, WORKTRACK_BOARD_ID: boardId };
  const script = readFileSync(join(deploy, 'helm/worktrack/files/test.mjs'), 'utf8');
  const run = (given: NodeJS.ProcessEnv) =>
    runToEnd(process.execPath, ['--input-type=module', '--eval', script], given, deploy);
  expect(await run(env)).toMatchObject({ ok: true, lastLine: 'The test has passed.' });
  expect(await run({ ...env, WORKTRACK_API_KEY: 'wt_wrong' })).toMatchObject({ ok: false });
  const { data } = await call<{ events: { type: string }[] }>('GET', '/api/events?after=0');
  const types = () => data.events.map(({ type }) => type);
  expect(types()).toEqual(expect.arrayContaining(['work_item.claimed', 'work_item.deleted']));
});

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string } } }[];
  readonly volumeMounts?: unknown;
  readonly lifecycle?: unknown;
  readonly startupProbe: unknown;
  readonly livenessProbe: unknown;
  readonly readinessProbe: unknown;
  readonly resources: unknown;
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: unknown;
  readonly priorityClassName?: string;
  readonly imagePullSecrets?: readonly object[];
  readonly nodeSelector?: object;
  readonly tolerations?: readonly object[];
  readonly automountServiceAccountToken: boolean;
  readonly topologySpreadConstraints: unknown;
}
interface PolicySpec {
  readonly policyTypes: readonly string[];
  readonly ingress: readonly { ports: readonly { port: string | number }[]; from?: readonly unknown[] }[];
  readonly egress: readonly {
    ports: readonly { port: string | number }[];
    to?: readonly { ipBlock?: { cidr: string; except?: readonly string[] } }[];
  }[];
}
