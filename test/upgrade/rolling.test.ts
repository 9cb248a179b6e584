import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@worktrack/stack/layout';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSystem } from '../support/system.ts';
import { SteadyCalls } from './steady-calls.ts';

const template = readFileSync(
  join(import.meta.dirname, '../../deploy/helm/worktrack/templates/deployments.yaml'),
  'utf8',
);
/** While the nodes of a cluster learn that a gateway is leaving, it still serves. */
const PRE_STOP_MS = Number(/preStop: \{ sleep: \{ seconds: (\d+) \} \}/.exec(template)?.[1]) * 1_000;

let system: Awaited<ReturnType<typeof startSystem>>;
/** Those that a load balancer sends calls to. */
let serving: string[];
let calls: SteadyCalls;

beforeAll(async () => {
  system = await startSystem({
    replicas: { gateway: 2, keys: 2, workitems: 2, feedback: 2, events: 2 },
    env: { TRUST_PROXY: 'loopback' },
  });
  serving = [...system.gateways];
  calls = await SteadyCalls.begin(system, serving);
});
afterAll(async () => {
  await calls?.end();
  await system?.stop();
});

/**
 * Follows a deployment of the chart. A pod that ends is taken from the load balancer, sleeps (`preStop`), is sent SIGTERM and waited for. The new pod gets
 * calls once its probe reports it ready. There the new pod comes first (`maxSurge`); here one replica less runs meanwhile.
 */
async function rollOut(service: ServiceName): Promise<void> {
  for (const { part, publicUrl } of system.services.of(service)) {
    if (publicUrl) {
      serving.splice(serving.indexOf(publicUrl), 1);
      await delay(PRE_STOP_MS);
    }
    await part.stop();
    await part.restart();
    if (publicUrl) serving.push(publicUrl);
  }
}

async function refusedBy(change: () => Promise<unknown>): Promise<string[]> {
  const [refused, answered] = [calls.refused.length, calls.answered];
  await change();
  await expect.poll(() => calls.answered).toBeGreaterThan(answered + 20);
  return calls.refused.slice(refused);
}

test.each(SERVICES)(
  'a rolling upgrade of %s refuses no call',
  async (service) => {
    expect(await refusedBy(() => rollOut(service))).toEqual([]);
  },
  300_000,
);

test('a rolling upgrade of everything at once refuses no call', async () => {
  expect(await refusedBy(() => Promise.all(SERVICES.map(rollOut)))).toEqual([]);
}, 300_000);
