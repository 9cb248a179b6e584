import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { needAlertmanager, needPrometheus } from '@worktrack/stack/monitoring/find-prometheus';
import { type PrometheusServer, startPrometheus } from '@worktrack/stack/monitoring/prometheus';
import { Progress } from '@worktrack/stack/report/progress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLease } from '../support/servers.ts';
import { startSystem } from '../support/system.ts';
import { SteadyCalls } from '../upgrade/steady-calls.ts';
import { Alertmanager, type Notice } from './alertmanager.ts';
import { TELLING_FAULTS } from './alerts.ts';
import { MINUTES } from './form.ts';

/** From the fault to the notice. */
const TOLD_WITHIN_MS = 60_000;
/** From its end. */
const CLEARED_WITHIN_MS = 120_000;
/** What an earlier fault, or its end, still raises may not be taken for the next one's. */
const QUIET_WITHIN_MS = 300_000;
/** What a rate needs to be one: until the first minute is over, what is slow at the start is half of all. */
const WARM_UP_MS = 75_000;
const ONLY = new RegExp(process.env.WORKTRACK_FAULTS_ONLY ?? '');

/** `npm run test:faults -- --alerts [--only 'Redis'] [--minutes 60]`: the minutes are those of healthy load. */
describe.runIf(MINUTES > 0)('with a real Prometheus and a real Alertmanager', () => {
  let system: Awaited<ReturnType<typeof startSystem>>;
  let prometheus: PrometheusServer;
  let alertmanager: Alertmanager;
  let calls: SteadyCalls;
  const told: Record<string, Record<string, string>> = {};

  beforeAll(async () => {
    const progress = new Progress(process.stderr);
    const programs = await needPrometheus(progress);
    const { folder } = await newLease();
    alertmanager = await Alertmanager.start(await needAlertmanager(progress), join(folder, 'alertmanager'));
    system = await startSystem({
      ownServers: ['rabbitmq', 'redis', 'mongodb'],
      replicas: { gateway: 2, keys: 2, workitems: 2, feedback: 2, events: 2 },
      env: { TRUST_PROXY: 'loopback' },
    });
    prometheus = await startPrometheus(
      programs.prometheus,
      join(folder, 'prometheus'),
      join(folder, 'prometheus.log'),
      system.services.replicas,
      [alertmanager.address],
    );
    calls = await SteadyCalls.begin(system);
  });
  afterAll(async () => {
    console.table(told);
    await calls?.end();
    await prometheus?.part.kill();
    await alertmanager?.stop();
    await system?.stop();
  });

  const seconds = (ms: number) => `${(ms / 1_000).toFixed(0)} s`;
  const namesOf = (notices: readonly Notice[]) => [...new Set(notices.map(({ alert }) => alert))].toSorted();

  test(
    'healthy load wakes nobody',
    async () => {
      await delay(Math.max(WARM_UP_MS, MINUTES * 60_000));
      expect(namesOf(alertmanager.notices)).toEqual([]);
    },
    (MINUTES + 5) * 60_000,
  );

  test.each(TELLING_FAULTS.filter(({ name }) => ONLY.test(name)))(
    '$name: somebody is told, of nothing else, and that it is over',
    async ({ name, pages, tickets, mayPage = [], begin }) => {
      await expect.poll(() => namesOf(alertmanager.firing), { timeout: QUIET_WITHIN_MS, interval: 250 }).toEqual([]);
      const fromMs = Date.now();
      const since = () => alertmanager.notices.filter(({ atMs, isFiring }) => isFiring && atMs >= fromMs);
      const mend = await begin(system);
      const wanted = [...pages, ...tickets];
      try {
        const missing = () => wanted.filter((alert) => !since().some((notice) => notice.alert === alert));
        await expect.poll(missing, { timeout: TOLD_WITHIN_MS - (Date.now() - fromMs), interval: 250 }).toEqual([]);
      } finally {
        await mend();
        prometheus.collectFrom(system.services.replicas);
      }
      const mendedMs = Date.now();
      await expect.poll(() => namesOf(alertmanager.firing), { timeout: CLEARED_WITHIN_MS, interval: 250 }).toEqual([]);
      const first = (alert: string) =>
        Math.min(...since().flatMap((each) => (each.alert === alert ? [each.atMs] : [])));
      const row = namesOf(since()).map((alert) => `${alert} ${seconds(first(alert) - fromMs)}`);
      told[name] = { told: row.join(', '), cleared: seconds(Date.now() - mendedMs) };
      const woken = namesOf(since().filter(({ isPage }) => isPage));
      expect(woken.filter((alert) => !mayPage.includes(alert))).toEqual(pages.toSorted());
    },
    QUIET_WITHIN_MS + TOLD_WITHIN_MS + CLEARED_WITHIN_MS + 120_000,
  );
});
