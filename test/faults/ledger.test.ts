import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { type Attempt, Violations } from './attempt.ts';
import { compare, type Differences } from './compare.ts';
import { type Fault, FREEZES, ROLLING_RESTARTS, SERVER_FAULTS, SERVICE_FAULTS } from './faults.ts';
import { Ledger } from './ledger.ts';
import { Load } from './load.ts';

/** Minutes of faults in random order; without it, each fault of the short form once. `npm run test:faults -- --minutes 10`. */
const MINUTES = Number(process.env.WORKTRACK_FAULT_MINUTES ?? 0);
/** All kills, and the one freeze that no client's connection shows. */
const SHORT_FORM = [...ROLLING_RESTARTS, ...SERVICE_FAULTS, ...SERVER_FAULTS, ...FREEZES.slice(2, 3)];
const LONG_FORM = [...ROLLING_RESTARTS, ...SERVICE_FAULTS, ...SERVER_FAULTS, ...FREEZES];
/** Between two faults, so that the rate before one is not that of the recovery from another. */
const CALM_MS = 2_000;
const RATE_WINDOW_MS = 2_000;
const RECOVERED_SHARE = 0.7;
const RECOVERY_LIMIT_MS = 30_000;
const TIME_LIMIT_MS = (MINUTES + 12) * 60_000;

interface Row {
  readonly fault: string;
  readonly calls: number;
  readonly refused: number;
  readonly slowestMs: number;
  readonly ratePerSecond: number;
  /** From the part's return until calls are acknowledged at the rate from before. */
  readonly recoveryMs: number;
}

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
let load: Load;
const ledger = new Ledger();
const violations = new Violations();
const rows: Row[] = [];

beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, keys: 2, workitems: 2, feedback: 2 }, ownServers: true });
  organization = await system.newOrganization();
  const source = await organization.call<{ publicKey: string }>('POST', '/api/feedback/sources', {
    name: 'Load',
    type: 'server',
    requireCaptcha: false,
    rateLimit: { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 60 },
  });
  if (!source.success) throw new Error(source.error.message);
  load = new Load({ gateways: system.gateways, organization, publicKey: source.data.publicKey }, ledger, violations);
  await acknowledgedSince(Date.now(), 50);
});
afterAll(() => system?.stop());

const acknowledged = (attempt: Attempt) => attempt.status >= 200 && attempt.status < 300;
const between = (from: number, to: number) =>
  load.attempts.filter(({ at, durationMs }) => at + durationMs >= from && at + durationMs < to);
const rateBetween = (from: number, to: number) => (between(from, to).filter(acknowledged).length * 1_000) / (to - from);

/** Resolves once so many calls that began since then are acknowledged. */
async function acknowledgedSince(since: number, count: number): Promise<void> {
  while (load.attempts.filter((attempt) => attempt.at >= since && acknowledged(attempt)).length < count)
    await delay(20);
}

async function endure(fault: Fault): Promise<void> {
  await delay(CALM_MS);
  const from = Date.now();
  const ratePerSecond = rateBetween(from - RATE_WINDOW_MS, from);
  await fault.run(system);
  const healedAt = Date.now();
  const recoveryMs = await recovery(healedAt, ratePerSecond);
  const attempts = between(from, Date.now());
  if (ROLLING_RESTARTS.includes(fault)) {
    for (const { status, code } of attempts.filter((attempt) => !acknowledged(attempt))) {
      violations.add(`${fault.name}: a client was answered ${status} ${code}`);
    }
  }
  rows.push({
    fault: fault.name,
    calls: attempts.length,
    refused: attempts.filter((attempt) => !acknowledged(attempt)).length,
    slowestMs: Math.max(0, ...attempts.map(({ durationMs }) => durationMs)),
    ratePerSecond: Math.round(ratePerSecond),
    recoveryMs,
  });
}

async function recovery(healedAt: number, ratePerSecond: number): Promise<number> {
  for (;;) {
    const now = Date.now();
    const from = Math.max(healedAt, now - RATE_WINDOW_MS);
    if (now - healedAt >= 500 && rateBetween(from, now) >= ratePerSecond * RECOVERED_SHARE) return now - healedAt;
    if (now - healedAt > RECOVERY_LIMIT_MS) {
      violations.add(`the rate was not back within ${RECOVERY_LIMIT_MS} ms of the part's return`);
      return now - healedAt;
    }
    await delay(50);
  }
}

/** What the services logged under the request id of a refusal: their logs go with the run. */
function withItsCause(violation: string): string {
  const requestId = /"requestId":"([^"]+)"/.exec(violation)?.[1];
  if (!requestId) return violation;
  const folder = join(system.folder, 'logs');
  const lines = readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line.includes(requestId));
  return [violation, ...lines].join('\n');
}

describe('under load, with every acknowledged write in a ledger', () => {
  test(
    'no fault of any part loses, doubles or tears a write, or leaves a call without an answer',
    async () => {
      if (MINUTES === 0) for (const fault of SHORT_FORM) await endure(fault);
      else {
        const until = Date.now() + MINUTES * 60_000;
        while (Date.now() < until) await endure(LONG_FORM[Math.floor(Math.random() * LONG_FORM.length)] as Fault);
      }
      await load.stop();
      const differences: Differences = await compare(ledger, organization);
      console.table(rows);
      console.log(
        `${ledger.entries.length} acknowledged writes, ${load.attempts.length} calls: ${differences.lost.length} lost, ${differences.doubled.length} doubled, ${differences.torn.length} torn, ${differences.outOfOrder.length} out of order`,
      );
      expect(differences).toEqual({ lost: [], doubled: [], torn: [], outOfOrder: [] });
      expect(violations.list.map(withItsCause)).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
