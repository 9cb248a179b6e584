import { randomUUID } from 'node:crypto';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { DUPLICATE_WINDOW_MS, Duplicates, reservationOf } from '@worktrack/runtime/redis/duplicates';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { servers } from '../../../test/support/servers.ts';
import { outcomes, startFeedback, submission } from '../testing.ts';

let feedback: Awaited<ReturnType<typeof startFeedback>>;
let network: TestProxy;
beforeAll(async () => {
  const { mongodbUrl } = await servers();
  network = await TestProxy.to(mongodbUrl);
  const url = new URL(network.url);
  // As on a server for which the driver does not retry writes.
  url.searchParams.set('retryWrites', 'false');
  feedback = await startFeedback(url.href);
});
afterAll(async () => {
  await feedback.stop();
  await network.close();
});

const inbox = async (organizationId: string) =>
  (await feedback.call('feedback.list', { limit: 100 }, organizationId)).items;

test('everything that arrives in one message is stored, and answered in order', async () => {
  const organizationId = randomUUID();
  const sent = Array.from({ length: 64 }, (_, i) => submission({ organizationId, message: `Message ${i}` }));
  const answers = await feedback.ingest(sent);
  expect(outcomes(answers)).toEqual(Array(64).fill('stored'));
  expect(answers.map((answer) => 'output' in answer && answer.output.id)).toEqual(sent.map(({ itemId }) => itemId));
  expect(new Set((await inbox(organizationId)).map(({ message }) => message)).size).toBe(64);
});

test('an item holds what was submitted, and the address as a hash that no answer shows', async () => {
  const sent = submission({
    category: 'bug',
    email: 'ada@example.com',
    pageUrl: 'https://a.example/export',
    locale: 'en-GB',
  });
  const [answer] = await feedback.ingest([sent]);
  const item = await feedback.call('feedback.get', { id: sent.itemId }, sent.organizationId);
  expect(item).toEqual({
    id: sent.itemId,
    sourceId: sent.sourceId,
    status: 'new',
    message: sent.message,
    category: 'bug',
    email: 'ada@example.com',
    pageUrl: 'https://a.example/export',
    locale: 'en-GB',
    origin: 'https://a.example',
    linkedWorkItemIds: [],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    updatedAt: item.createdAt,
  });
  expect(answer).toMatchObject({ output: { id: sent.itemId, status: 'new', createdAt: item.createdAt } });
});

describe('of equal messages to one source', () => {
  test('exactly one is stored, out of any number at once over three replicas', async () => {
    const replicas = await Promise.all([feedback.replica(), feedback.replica(), feedback.replica()]);
    const [organizationId, sourceId] = [randomUUID(), randomUUID()];
    const messages = Array.from({ length: 12 }, () =>
      Array.from({ length: 8 }, () => submission({ organizationId, sourceId })),
    );
    const answers = await Promise.all(messages.map((message, i) => replicas[i % 3]?.ingest(message) ?? []));
    const all = answers.flatMap(outcomes);
    expect(all.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(all.filter((outcome) => outcome === 'DUPLICATE_FEEDBACK')).toHaveLength(95);
    expect(await inbox(organizationId)).toHaveLength(1);
  });

  test.each([
    ['case', 'THE EXPORT BUTTON DOES NOTHING.'],
    ['white space', '  The \n export\u00a0button \t does nothing. '],
    ['compatibility forms', 'Ｔｈｅ export button does nothing．'],
  ])('%s makes no difference', async (_what, message) => {
    const first = submission();
    expect(outcomes(await feedback.ingest([first]))).toEqual(['stored']);
    const second = submission({ sourceId: first.sourceId, message });
    expect(outcomes(await feedback.ingest([second]))).toEqual(['DUPLICATE_FEEDBACK']);
  });

  test('a different message is not a duplicate, nor is the same one to another source', async () => {
    const first = submission();
    await feedback.ingest([first]);
    const others = [submission({ sourceId: first.sourceId, message: 'Another.' }), submission()];
    expect(outcomes(await feedback.ingest(others))).toEqual(['stored', 'stored']);
  });

  test('the second is refused for ten minutes', async () => {
    const first = submission();
    await feedback.ingest([first]);
    const [key = ''] = await feedback.redis.keys(`feedback:{${first.sourceId}}:message:*`);
    const leftMs = await feedback.redis.pttl(key);
    expect(leftMs).toBeGreaterThan(DUPLICATE_WINDOW_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(DUPLICATE_WINDOW_MS);
    await feedback.redis.del(key);
    expect(outcomes(await feedback.ingest([submission({ sourceId: first.sourceId })]))).toEqual(['stored']);
  });
});

test('what waited in a spool for longer than ten minutes blocks nobody who says the same after it', async () => {
  const first = submission({ acceptedAt: new Date(Date.now() - DUPLICATE_WINDOW_MS).toISOString() });
  expect(outcomes(await feedback.ingest([first]))).toEqual(['stored']);
  const second = submission({ organizationId: first.organizationId, sourceId: first.sourceId });
  expect(outcomes(await feedback.ingest([second]))).toEqual(['stored']);
  expect(await inbox(first.organizationId)).toHaveLength(2);
});

describe('an attempt that comes again', () => {
  test('is answered as the first, and stored once', async () => {
    const sent = submission();
    const [first] = await feedback.ingest([sent]);
    const [again] = await feedback.ingest([sent]);
    expect(again).toEqual({ ...first, replayed: true });
    expect(await inbox(sent.organizationId)).toHaveLength(1);
  });

  test('at the same time, over two replicas and within one message, too', async () => {
    const other = await feedback.replica();
    const sent = submission();
    const answers = (await Promise.all([feedback.ingest([sent, sent]), other.ingest([sent, sent, sent])])).flat();
    expect(outcomes(answers).sort()).toEqual(['replayed', 'replayed', 'replayed', 'replayed', 'stored']);
    expect(new Set(answers.map((answer) => 'output' in answer && answer.output.createdAt)).size).toBe(1);
    expect(await inbox(sent.organizationId)).toHaveLength(1);
  });

  test('is answered as the first even after Redis has forgotten everything and another one took the message', async () => {
    const sent = submission();
    const [first] = await feedback.ingest([sent]);
    const [key = ''] = await feedback.redis.keys(`feedback:{${sent.sourceId}}:message:*`);
    await feedback.redis.set(key, 'another submission', 'PX', 60_000);
    expect(await feedback.ingest([sent])).toEqual([{ ...first, replayed: true }]);
  });

  test('is answered as the first whatever became of the item', async () => {
    const sent = submission();
    const [first] = await feedback.ingest([sent]);
    await feedback.call('feedback.update', { id: sent.itemId, status: 'resolved' }, sent.organizationId);
    expect(await feedback.ingest([sent])).toEqual([{ ...first, replayed: true }]);
  });

  test.each([
    ['message', { message: 'Something else.' }],
    ['category', { category: 'praise' }],
    ['sender', { email: 'eve@example.com' }],
  ] as const)(
    'with another %s is refused; it blocks that message for nobody, and lets through no duplicate of the first',
    async (_what, change) => {
      const sent = submission();
      await feedback.ingest([sent]);
      const changed = { ...sent, ...change };
      expect(outcomes(await feedback.ingest([changed]))).toEqual(['IDEMPOTENCY_KEY_REUSED']);
      const outcome = 'message' in change ? 'stored' : 'DUPLICATE_FEEDBACK';
      expect(outcomes(await feedback.ingest([{ ...changed, itemId: uuidv7() }]))).toEqual([outcome]);
      expect(outcomes(await feedback.ingest([{ ...sent, itemId: uuidv7() }]))).toEqual(['DUPLICATE_FEEDBACK']);
    },
  );
});

test('an insert whose answer is lost on the network is stored once, and answered as stored', async () => {
  const sent = [submission({ message: `Lost ${randomUUID()}` }), submission({ message: 'Its neighbour.' })];
  const lost = network.loseAnswerTo(sent[0]?.itemId as string);
  const answers = await feedback.ingest(sent);
  await lost;
  expect(answers.map((answer) => 'output' in answer && answer.output.id)).toEqual(sent.map(({ itemId }) => itemId));
  for (const { organizationId, itemId } of sent) {
    expect((await inbox(organizationId)).map(({ id }) => id)).toEqual([itemId]);
  }
});

describe('what was not stored blocks nothing', () => {
  test('a submission that the database refuses releases its reservation, and its neighbours are stored', async () => {
    const [organizationId, sourceId] = [randomUUID(), randomUUID()];
    // Beyond what a database document may hold; no field of the contract lets it through, so it is injected behind it.
    const tooLarge = submission({ organizationId, sourceId, origin: 'x'.repeat(17 * 1024 * 1024) });
    const neighbour = submission({ organizationId, sourceId, message: 'A neighbour.' });
    const answers = await Promise.allSettled([feedback.ingest([tooLarge]), feedback.ingest([neighbour])]);
    expect(answers[0].status).toBe('rejected');
    expect(outcomes(answers[1].status === 'fulfilled' ? answers[1].value : [])).toEqual(['stored']);
    expect(outcomes(await feedback.ingest([submission({ organizationId, sourceId })]))).toEqual(['stored']);
  });

  test('a reservation of a submission whose process died lasts no longer than its deadline', async () => {
    const sent = submission();
    await feedback.ingest([sent], 2_000);
    const [key = ''] = await feedback.redis.keys(`feedback:{${sent.sourceId}}:message:*`);
    expect(await feedback.redis.get(key)).toBe(sent.itemId);
    const duplicates = new Duplicates(feedback.redis, createLog('test', 'silent'));
    const pending = reservationOf(sent.sourceId, 'Never stored.', uuidv7());
    expect(await duplicates.reserve([pending], Date.now() + 2_000)).toEqual(['taken']);
    const leftMs = await feedback.redis.pttl(pending.key);
    expect(leftMs).toBeGreaterThan(1_000);
    expect(leftMs).toBeLessThanOrEqual(3_000);
  });
});

describe('without Redis', () => {
  test('a submission that is not stored while Redis is full blocks nobody who says the same', async () => {
    const duplicates = new Duplicates(feedback.redis, createLog('test', 'silent'));
    const { now } = performance;
    let laterMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + laterMs);
    onTestFinished(() => void clock.mockRestore());
    const isFull = new Error('OOM command not allowed when used memory > maxmemory.');
    const full = () => ({ eval: () => {}, exec: async () => [[isFull, null]] }) as never;
    const pipeline = vi.spyOn(feedback.redis, 'pipeline').mockImplementation(full);
    onTestFinished(() => void pipeline.mockRestore());
    const sourceId = randomUUID();
    const first = reservationOf(sourceId, 'equal', 'first');
    const next = reservationOf(sourceId, 'equal', 'next');
    expect(await duplicates.reserve([first], Date.now() + 10_000)).toEqual(['taken']);
    expect(await duplicates.reserve([next], Date.now() + 10_000)).toEqual([undefined]);
    // Redis is asked again, and knows nothing of it.
    laterMs = 2_000;
    await duplicates.release([first]);
    expect(await duplicates.reserve([next], Date.now() + 10_000)).toEqual(['taken']);
  });

  test('one replica refuses duplicates on its own, and an attempt that comes again is answered as the first', async () => {
    const alone = await feedback.replica({}, 'redis://127.0.0.1:1');
    const [organizationId, sourceId] = [randomUUID(), randomUUID()];
    const sent = Array.from({ length: 10 }, () => submission({ organizationId, sourceId }));
    const all = outcomes((await Promise.all(sent.map((one) => alone.ingest([one])))).flat());
    expect(all.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(all.filter((outcome) => outcome === 'DUPLICATE_FEEDBACK')).toHaveLength(9);
    const stored = sent[all.indexOf('stored')];
    expect(outcomes(await alone.ingest(stored ? [stored] : []))).toEqual(['replayed']);
  });
});
