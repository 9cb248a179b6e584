import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { feedbackContract } from '@worktrack/contracts/feedback/contract';
import { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import { serviceContract } from '@worktrack/contracts/operation';
import type { ConnectionListener } from '@worktrack/rpc/connection';
import { laneQueues } from '@worktrack/rpc/queues';
import { Recorder, RpcRig, type TestClient, type TestServer } from '@worktrack/rpc/testing/rig';
import type { ServiceClient } from '@worktrack/rpc/types';
import { registry } from '@worktrack/runtime/process/metrics';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { servers, virtualHost } from '../../../../test/support/servers.ts';
import type { Submission } from './lane.ts';
import { RecordFile } from './record-file.ts';
import { Spool } from './spool.ts';

/** A feedback service with a defect: there are messages on which it fails, or on which its process ends. */
const contract = serviceContract('feedback', [ingestFeedback]);
let rig: RpcRig<typeof contract>;
let server: TestServer;
type ChannelModel = Parameters<ConnectionListener['opened']>[0];
let client: TestClient<typeof contract>;
let channel: Awaited<ReturnType<ChannelModel['createChannel']>>;
let service: ServiceClient<typeof feedbackContract>;
let redis: ReturnType<typeof connectRedis>;
let folder: string;
const { log, lines } = new Recorder();
let attempts: string[] = [];
const stored = new Map<string, string>();
let isMended = false;
/** The service does nothing before. */
let hindered: Promise<void> | undefined;

beforeAll(async () => {
  const lease = await servers();
  folder = join(lease.folder, 'spool');
  redis = connectRedis(lease.redisUrl, log);
  rig = new RpcRig(await virtualHost(), contract);
  server = await rig.serve(handlers as never);
  client = await rig.client();
  service = client.service as never;
  const opened = Promise.withResolvers<ChannelModel>();
  client.broker.publishing.listen({ opened: opened.resolve, lost() {}, unblocked() {} });
  channel = await (await opened.promise).createChannel();
});
afterAll(async () => {
  redis?.disconnect();
  await rig?.stop();
});
beforeEach(() => {
  attempts = [];
  stored.clear();
  isMended = false;
  rmSync(folder, { recursive: true, force: true });
});

/** Ends, and takes long to start: the broker has given up its queues, and calls have failed, the one that ended it and the next. */
async function die(): Promise<never> {
  const { calls } = client.seen;
  const before = calls.length;
  await server.die();
  const { requests, retries = '' } = laneQueues('feedback', 'normal', 1);
  for (const queue of [requests, retries]) await channel.deleteQueue(queue);
  await expect.poll(() => calls.length, { timeout: 20_000 }).toBeGreaterThan(before + 1);
  server = await rig.serve(handlers as never);
  throw new Error('This process has ended.');
}

const handlers = {
  'feedback.ingest': {
    many: async (calls: readonly { readonly input: Submission }[]) => {
      await hindered;
      if (calls.some(({ input }) => input.message === 'Deadly')) await die();
      return calls.map(({ input }) => {
        attempts.push(input.message);
        if (input.message.startsWith('Defect') && !isMended) throw new Error('A defect');
        const earlier = stored.get(input.itemId);
        if (earlier !== undefined && earlier !== input.message) {
          return { error: { code: 'IDEMPOTENCY_KEY_REUSED', message: 'Used for another.' } };
        }
        stored.set(input.itemId, input.message);
        return { output: { id: input.itemId, status: 'new', createdAt: new Date().toISOString() } };
      });
    },
  },
};

const open = (postponedByMs = [20, 60]) =>
  Spool.open({ folder, maxMebibytes: 1, feedback: service, redis, log, postponedByMs, suspectAfterMs: 0 });
const submission = (message: string, itemId: string = uuidv7()): Submission => ({
  ...{ itemId, message, organizationId: randomUUID(), sourceId: randomUUID() },
  ...{ origin: 'https://a.example', ipHash: 'h'.repeat(43) },
});
const metric = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
const refused = (number = 1) => join(folder, `${number}`, 'refused.jsonl');

test('what the service fails on holds up nothing, is tried again ever later, and is set aside in the end', async () => {
  const spool = await open();
  const good = Array.from({ length: 100 }, (_, number) => `Good ${number}`);
  const messages = [...good.slice(0, 30), 'Defect', ...good.slice(30)];
  await Promise.all(messages.map((message) => spool.accept(submission(message))));
  await expect.poll(() => stored.size).toBe(good.length);
  await expect.poll(() => metric('worktrack_intake_spool_records')).toBe(0);
  expect([...stored.values()].toSorted()).toEqual(good.toSorted());
  const line = JSON.parse(readFileSync(refused(), 'utf8'));
  expect(line).toMatchObject({ refused: 'INTERNAL', message: 'Defect' });
  expect(statSync(refused()).mode & 0o777).toBe(0o600);
  expect(await metric('worktrack_intake_spool_aside_bytes')).toBe(statSync(refused()).size);
  await spool.close();

  // Once the service is mended. Until all of it is delivered, it is told of.
  isMended = true;
  const again = join(folder, '1', 'again.jsonl');
  renameSync(refused(), again);
  const { size } = statSync(again);
  appendFileSync(again, '{"itemId": "a slip of the pen,\n');
  const undelivered = await open();
  expect(await metric('worktrack_intake_spool_aside_bytes')).toBeGreaterThan(size);
  await undelivered.close();
  expect(lines.find(({ message }) => message === 'again.jsonl cannot be delivered')?.fields).toMatchObject({
    error: { message: expect.stringContaining('Line 2 is not JSON') },
  });
  expect([...stored.values()]).not.toContain('Defect');

  truncateSync(again, size);
  const next = await open();
  await expect.poll(() => [...stored.values()]).toContain('Defect');
  expect(await metric('worktrack_intake_spool_aside_bytes')).toBe(0);
  await next.close();
});

test('what ends the process of the service holds up nothing, however long that takes to start again', async () => {
  const good = Array.from({ length: 40 }, (_, number) => `Good ${number}`);
  const spool = await open();
  for (const message of [...good.slice(0, 5), 'Deadly', ...good.slice(5)]) await spool.accept(submission(message));
  await expect.poll(() => stored.size, { timeout: 40_000 }).toBe(good.length);
  await expect.poll(() => metric('worktrack_intake_spool_records')).toBe(0);
  expect(JSON.parse(readFileSync(refused(), 'utf8')).message).toBe('Deadly');
  await spool.close();
});

test('a gateway that starts goes on with what was postponed, and knows its key', async () => {
  const spool = await open([1, 3_600_000]);
  const defect = submission('Defect');
  await spool.accept(defect);
  await expect.poll(() => attempts.length).toBe(2);
  await spool.close();
  const next = await open([1, 500]);
  expect(await next.accept(defect)).toBe('repeated');
  isMended = true;
  await expect.poll(() => [...stored.values()]).toEqual(['Defect']);
  await next.close();
});

test('of several submissions with one key at once, one is accepted, and the others are answered as it says', async () => {
  const spool = await open();
  const [one, another] = [submission('One'), submission('Another')];
  const all = [one, { ...another, itemId: one.itemId }, one];
  const answers = await Promise.allSettled(all.map((each) => spool.accept(each)));
  expect(answers).toMatchObject([
    { value: 'spooled' },
    { reason: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    { value: 'repeated' },
  ]);
  await expect.poll(() => metric('worktrack_intake_spool_records')).toBe(0);
  expect([...stored.values()]).toEqual(['One']);
  expect(attempts).toEqual(['One']);
  await spool.close();
});

test('of two submissions with one key, accepted by two gateways, the one that is delivered last is set aside', async () => {
  const spools = [await open(), await open()] as const;
  const itemId = uuidv7();
  await Promise.all(spools.map((spool, index) => spool.accept(submission(`Number ${index}`, itemId))));
  await expect.poll(() => metric('worktrack_intake_spool_aside_bytes')).toBeGreaterThan(0);
  const lines = [1, 2].map((number) => readFileSync(refused(number), { encoding: 'utf8', flag: 'a+' })).join('');
  expect(JSON.parse(lines)).toMatchObject({ refused: 'IDEMPOTENCY_KEY_REUSED', itemId });
  await Promise.all(spools.map((spool) => spool.close()));
});

test('what is postponed takes room from what is accepted: the limit is that of all files together', async () => {
  const message = `Defect ${'x'.repeat(4_900)}`;
  mkdirSync(join(folder, '1'), { recursive: true });
  const postponed = await RecordFile.open(join(folder, '1', 'submissions.postponed-1'), () => 2 ** 20);
  const record = JSON.stringify({ ...submission(message), dueAtMs: Date.now() + 1_800_000 });
  await Promise.all(Array.from({ length: 160 }, () => postponed.append(record)));
  await postponed.close();

  const spool = await open([3_600_000]);
  const refusals: unknown[] = [];
  for (let number = 0; number < 40; number++) {
    await spool.accept(submission(`${message}${number}`)).catch((error: unknown) => refusals.push(error));
  }
  expect(refusals).toContainEqual(expect.objectContaining({ code: 'UNAVAILABLE' }));
  expect(refusals.length).toBeLessThan(40);
  await spool.close();
});

test('a source or organization that fills its share of the spool leaves room for others, also after a restart', async () => {
  const hindrance = Promise.withResolvers<void>();
  hindered = hindrance.promise;
  const flooding = { organizationId: randomUUID(), sourceId: randomUUID() };
  const accept = async (spool: Spool, owner: Partial<Submission>) =>
    await spool.accept({ ...submission(`${randomUUID()} ${'x'.repeat(4_900)}`), ...owner }).then(
      () => 1,
      ({ code }) => {
        expect(code).toBe('UNAVAILABLE');
        return 0;
      },
    );
  /** All at once. @returns how many were accepted: there is room for some 200 */
  const flood = async (spool: Spool, owner: () => Partial<Submission>) => {
    const accepted = await Promise.all(Array.from({ length: 200 }, () => accept(spool, owner())));
    return accepted.reduce<number>((sum, one) => sum + one, 0);
  };
  const first = await open();
  const ofOne = await flood(first, () => flooding);
  const ofItsOrganization = ofOne + (await flood(first, () => ({ ...flooding, sourceId: randomUUID() })));
  expect([ofOne, ofItsOrganization].map((count) => Math.round(count / 10) * 10)).toEqual([70, 100]);
  await first.close();

  const next = await open();
  expect(await accept(next, flooding)).toBe(0);
  for (let number = 0; number < 20; number++) expect(await accept(next, { organizationId: randomUUID() })).toBe(1);
  // What is delivered holds nothing any more.
  hindrance.resolve();
  await expect.poll(() => metric('worktrack_intake_spool_records'), { timeout: 20_000 }).toBe(0);
  expect(stored.size).toBe(ofItsOrganization + 20);
  expect(await flood(next, () => flooding)).toBe(ofOne);
  await next.close();
});

test('a folder that cannot be used is named with its setting', async () => {
  writeFileSync(folder, 'not a folder');
  await expect(open()).rejects.toThrow(`FEEDBACK_SPOOL_DIR: ${folder} cannot be used: EEXIST`);
});
