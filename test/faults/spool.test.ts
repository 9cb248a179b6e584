import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import type { Part } from '@worktrack/stack/processes/part';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { solvedCaptcha } from '../feedback/solve.ts';
import { newSource, visitor } from '../feedback/visitor.ts';
import type { TestOrganization } from '../support/organization.ts';
import { newLease } from '../support/servers.ts';
import { startSystem } from '../support/system.ts';
import { MINUTES } from './form.ts';
import { cannotMount, SmallDisk } from './small-disk.ts';
import { SteadySubmissions } from './spool-outage.ts';

/** "Back to the normal path", from the broker's return. */
const BACK_WITHIN_MS = 10_000;
/** More than the outage needs: what fills it is the test. */
const DISK_MIB = 256;
const OUTAGE_RATE = 200;
const OUTAGE_MS = 5 * 60_000;
const CALM_MS = 5_000;
const FULL_MS = 20_000;
const OUTAGE_POLL = { timeout: 300_000, interval: 5_000 };
const RATE = { perIp: 100_000, perSource: 100_000, windowSeconds: 60 };

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
let source: Source;
/** It requires a captcha. */
let guarded: Source;
let spool: string;

beforeAll(async () => {
  spool = join((await newLease()).folder, 'spool');
  system = await startSystem({
    ownServers: ['rabbitmq'],
    env: { FEEDBACK_SPOOL_DIR: spool, FEEDBACK_SPOOL_MAX_MIB: '1', TRUST_PROXY: 'loopback' },
    // A gateway that starts while the broker is away is ready only after the broker's own start.
    startTimeoutMs: 240_000,
  });
  organization = await system.newOrganization();
  source = await newSource(organization, { rateLimit: RATE });
  guarded = await newSource(organization, { requireCaptcha: true });
});
afterAll(() => system?.stop());

const gateway = () => {
  const [replica] = system.services.of('gateway');
  if (!replica) throw new Error('There is no gateway.');
  return replica;
};
const broker = () => {
  const part = system.servers?.rabbitmq.part;
  if (!part) throw new Error('There is no broker.');
  return part;
};

/** What was acknowledged, by message, and when. */
const accepted = new Map<string, number>();

async function submit(token: string, message = `Spooled ${randomUUID()}`, key: string = randomUUID()): Promise<number> {
  const { status } = await visitor(system.baseUrl).ingest(
    { publicKey: source.publicKey, token, message },
    { 'idempotency-key': key },
  );
  if (status === 201 || status === 202) accepted.set(message, accepted.get(message) ?? Date.now());
  return status;
}

async function stored({ call }: Pick<TestOrganization, 'call'> = organization): Promise<FeedbackItem[]> {
  const items: FeedbackItem[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/feedback/items?limit=100${cursor && `&cursor=${cursor}`}`;
    const { data } = await call<{ items: FeedbackItem[]; nextCursor: string | null }>('GET', path);
    items.push(...data.items);
    if (!data.nextCursor) return items;
    cursor = data.nextCursor;
  }
}

/** Each acknowledged one is there, once, as of when it was acknowledged. */
async function expectAllStored(): Promise<void> {
  await expect.poll(async () => (await stored()).length).toBeGreaterThanOrEqual(accepted.size);
  const items = await stored();
  expect(items.map(({ message }) => message).toSorted()).toEqual([...accepted.keys()].toSorted());
  for (const { message, createdAt } of items) {
    const offMs = Math.abs(Date.parse(createdAt) - (accepted.get(message) ?? 0));
    expect(offMs, message).toBeLessThan(5_000);
  }
}

const untilServing = ({ baseUrl } = system) =>
  expect
    .poll(
      () =>
        fetch(`${baseUrl}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);

test('while the broker is away, submissions are accepted, also by a gateway that was killed and starts meanwhile; none is lost, none is stored twice', async () => {
  const token = await visitor(system.baseUrl).token(source);
  expect(await submit(token)).toBe(201);
  // Of this source, too, the gateway knows how it last was.
  await visitor(system.baseUrl).token(guarded);
  await broker().kill();
  const message = `Once ${randomUUID()}`;
  expect(await submit(token, message, 'the same key')).toBe(202);
  expect(await submit(token, message, 'the same key')).toBe(202);
  expect(await submit(token, message)).toBe(409);
  expect(await submit(token, 'Another', 'the same key')).toBe(409);
  for (let number = 0; number < 100; number++) expect(await submit(token)).toBe(202);

  const underWay = Array.from({ length: 50 }, () => submit(token).catch(() => 0));
  await gateway().part.kill();
  await Promise.all(underWay);
  // It is ready only once the broker is back, and serves before.
  const restarted = gateway().part.restart();
  await untilServing();
  const ownToken = await visitor(system.baseUrl).token(source);
  // It knows from the file which keys were used.
  expect(await submit(ownToken, 'Another', 'the same key')).toBe(409);
  expect(await submit(ownToken, message, 'the same key')).toBe(202);
  for (let number = 0; number < 100; number++) expect(await submit(ownToken)).toBe(202);
  const [folder = ''] = readdirSync(spool);
  const file = join(spool, folder, 'submissions');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('Spooled');

  // A proof of work, as always: given out and verified by the gateway itself, and used once.
  const captchaToken = await solvedCaptcha(system.baseUrl, guarded);
  const solved = (message: string) => visitor(system.baseUrl).submit(guarded, { message, captchaToken });
  expect((await visitor(system.baseUrl).submit(guarded)).error.code).toBe('CAPTCHA_REQUIRED');
  const proven = `Proven ${randomUUID()}`;
  expect((await solved(proven)).status).toBe(202);
  accepted.set(proven, Date.now());
  expect((await solved('With a used solution')).error.code).toBe('CAPTCHA_INVALID');

  await broker().restart();
  const backAtMs = Date.now();
  while ((await submit(ownToken)) !== 201) {
    expect(Date.now() - backAtMs).toBeLessThan(BACK_WITHIN_MS);
    await delay(50);
  }
  await restarted;
  // While it is being delivered, or just after.
  await gateway().part.kill();
  await gateway().part.restart();
  await expectAllStored();
  await expect.poll(() => statSync(file).size).toBe(0);
});

test('a full spool refuses with Retry-After, and keeps what it has accepted', async () => {
  const token = await visitor(system.baseUrl).token(source);
  await broker().kill();
  const long = () => `${randomUUID()} ${'x'.repeat(4_900)}`;
  let status = 0;
  for (let number = 0; number < 400 && status !== 503; number++) status = await submit(token, long());
  expect(status).toBe(503);
  const refused = await visitor(system.baseUrl).ingest({ publicKey: source.publicKey, token, message: long() });
  expect(refused).toMatchObject({ status: 503, error: { code: 'UNAVAILABLE' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await broker().restart();
  await expectAllStored();
  expect(await submit(token)).toBe(201);
});

const cannot = cannotMount();
/** The long form, which takes half an hour on a busy machine: `npm run test:faults -- --spool`. */
test.runIf(MINUTES > 0 && !cannot)(
  'five minutes without a broker at 200 submissions a second, with two kills of the gateway and a full disk: none is lost, none is stored twice',
  async () => {
    const { folder } = await newLease();
    const disk = await SmallDisk.mount(join(folder, 'disk'), DISK_MIB);
    const node = disk.program(process.execPath);
    const outage = await startSystem({
      ownServers: ['rabbitmq'],
      env: { FEEDBACK_SPOOL_DIR: join(folder, 'disk', 'spool'), FEEDBACK_SPOOL_MAX_MIB: '1024' },
      nodeOf: (id) => (id === 'gateway' ? node : undefined),
      // Started during the outage, it is ready after it.
      startTimeoutMs: 2 * OUTAGE_MS,
    });
    try {
      const owner = await outage.newOrganization();
      const submissions = new SteadySubmissions(outage.baseUrl, await newSource(owner, { rateLimit: RATE }));
      const part = () => outage.services.of('gateway')[0]?.part as Part;
      await submissions.begin(OUTAGE_RATE);
      await delay(CALM_MS);
      await outage.servers?.rabbitmq.part?.kill();
      let ready: Promise<unknown> = Promise.resolve();
      for (let kill = 0; kill < 2; kill++) {
        await delay(OUTAGE_MS / 4);
        await part().kill();
        ready = part().restart();
        // The first is killed while it waits for the broker.
        ready.catch(() => undefined);
        await untilServing(outage);
      }
      await delay(OUTAGE_MS / 4);
      disk.fill();
      const fullFromMs = Date.now();
      await delay(FULL_MS);
      disk.free();
      const fullToMs = Date.now();
      await delay(OUTAGE_MS / 4 - FULL_MS);
      await outage.servers?.rabbitmq.part?.restart();
      const backAtMs = Date.now();
      await delay(2 * BACK_WITHIN_MS);
      await submissions.end();
      await ready;

      const { answers, accepted, given } = submissions;
      const normalAtMs = answers.find(({ atMs, status }) => atMs > backAtMs && status === 201)?.atMs ?? Infinity;
      const notNormal = answers.filter(({ atMs, status }) => atMs > backAtMs + BACK_WITHIN_MS && status !== 201);
      const refused = answers.filter(({ status }) => status === 503);
      const refusedWithRoom = refused.filter(({ atMs }) => atMs < fullFromMs || atMs > fullToMs + 1_000);
      await expect.poll(async () => (await stored(owner)).length, OUTAGE_POLL).toBeGreaterThanOrEqual(accepted.size);
      const times = new Map<string, number>();
      for (const { message } of await stored(owner)) times.set(message, (times.get(message) ?? 0) + 1);
      const lost = [...accepted.keys()].filter((message) => !times.has(message));
      const doubled = [...times].filter(([, count]) => count > 1);
      console.log(
        `${accepted.size} accepted (${answers.filter(({ status }) => status === 202).length} into the spool), ${refused.length} refused for want of room, ${given.length} never acknowledged: ${lost.length} lost, ${doubled.length} stored twice; back to the normal path after ${(normalAtMs - backAtMs) / 1_000} s.`,
      );
      expect({ lost, doubled, notNormal: notNormal.length, refusedWithRoom }).toEqual({
        lost: [],
        doubled: [],
        notNormal: 0,
        refusedWithRoom: [],
      });
      expect(refused.length).toBeGreaterThan(0);
      expect(normalAtMs - backAtMs).toBeLessThan(BACK_WITHIN_MS);
    } finally {
      await outage.stop();
      await disk.unmount();
    }
  },
  1_800_000,
);
