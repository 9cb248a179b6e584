import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RawInput } from '@worktrack/contracts/operation';
import type { completeAiTask } from '@worktrack/contracts/work-items/agents/completions';
import type { reportProgress } from '@worktrack/contracts/work-items/agents/progress';
import { createLog } from '@worktrack/runtime/process/logging';
import { registry } from '@worktrack/runtime/process/metrics';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { settleEndedLeases } from '../leases/settle.ts';
import { usePriceFile } from '../sessions/price-file.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

const log = createLog('test', 'silent');
const MODEL = 'claude-sonnet-4-5';
type Beat = Partial<RawInput<typeof reportProgress>>;
type Completion = Partial<RawInput<typeof completeAiTask>>;

async function claimed(own: TestProject) {
  const item = await own.create('task');
  const { lease } = await call(own.caller, 'workItems.claim', { ids: [item.id], agent: 'one' });
  const leaseToken = lease?.token ?? '';
  const { id: workItemId } = item;
  return {
    item,
    beat: (fields: Beat) => call(own.caller, 'workItems.progress', { workItemId, leaseToken, model: MODEL, ...fields }),
    complete: (fields: Completion, by = own.caller) =>
      call(by, 'workItems.completeAiTask', {
        ...{ workItemId, reviewColumnId: 'Review', model: MODEL, totalTokens: 0 },
        ...fields,
      }),
    /** As if nobody had been heard for a while. */
    async expire() {
      const longAgo = new Date(Date.now() - 60_000);
      const set = { 'lease.expiresAt': longAgo, 'lease.unsettledUntil': longAgo };
      await ItemModel.updateOne({ organizationId: own.caller.organizationId, _id: workItemId }, { $set: set });
      await settleEndedLeases(new Date());
    },
  };
}
const usage = (own: TestProject) => call(own.caller, 'workItems.usage', { projectId: own.project.id });

describe('a completion that gives only a total', () => {
  test('has the parts that heartbeats have reported, and so their cost', async () => {
    const own = await startProject();
    const { beat, complete } = await claimed(own);
    await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 5 });
    const told = await beat({ totalTokens: 1_000_000, inputTokens: 990_000, outputTokens: 10_000 });
    expect(told.budget).toMatchObject({ spentUsd: 3.12, spent: { recordedUsd: 0, inFlightUsd: 3.12 } });
    expect(await complete({ totalTokens: 1_000_000 })).toMatchObject({ estimatedCost: '3.120000', costBasis: 'split' });
    const { totals, budget } = await usage(own);
    expect(totals).toMatchObject({ inputTokens: 990_000, outputTokens: 10_000, estimatedCost: '3.120000' });
    expect(budget).toMatchObject({ spentUsd: 3.12, spent: { recordedUsd: 3.12, inFlightUsd: 0 } });
  });

  test('has them in proportion when it has grown since', async () => {
    const own = await startProject();
    const { beat, complete } = await claimed(own);
    await beat({ totalTokens: 100_000, inputTokens: 90_000, outputTokens: 10_000, cachedInputTokens: 50_000 });
    await complete({ totalTokens: 200_000 });
    const { totals } = await usage(own);
    expect(totals).toMatchObject({ inputTokens: 180_000, outputTokens: 20_000, cachedInputTokens: 100_000 });
  });

  test('costs what the heartbeat said, also for tokens that its parts left out', async () => {
    const own = await startProject();
    const { beat, complete } = await claimed(own);
    await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 50 });
    const { budget } = await beat({ totalTokens: 1_000_000, inputTokens: 10_000, outputTokens: 10_000 });
    expect(budget?.spent.inFlightUsd).toBeGreaterThan(5);
    const { estimatedCost } = await complete({ totalTokens: 1_000_000 });
    expect(Number(estimatedCost)).toBe(budget?.spent.inFlightUsd);
    expect((await usage(own)).totals).toMatchObject({ inputTokens: 10_000, outputTokens: 10_000 });
  });

  test('is an estimate of the total alone when nothing else is known', async () => {
    const { complete } = await claimed(await startProject());
    expect(await complete({ totalTokens: 1_000_000 })).toMatchObject({ estimatedCost: '6.000000', costBasis: 'total' });
  });

  test('costs what was paid for as many tokens', async () => {
    const { beat, complete } = await claimed(await startProject());
    await beat({ totalTokens: 5_000, costUsd: 0.123456 });
    expect(await complete({ totalTokens: 5_000 })).toMatchObject({ estimatedCost: '0.123456', costBasis: 'paid' });
  });
});

test('what was really paid wins over any price, also for a model that has none', async () => {
  const own = await startProject();
  const { complete } = await claimed(own);
  const paid = { model: 'my-own-model', provider: 'me', totalTokens: 10, costUsd: 1.5 };
  expect(await complete(paid)).toMatchObject({ estimatedCost: '1.500000', costBasis: 'paid' });
  const { item } = await claimed(own);
  const unpriced = { workItemId: item.id, model: 'my-own-model', totalTokens: 10 };
  expect(await call(own.caller, 'workItems.recordSession', unpriced)).toMatchObject({ costBasis: 'unpriced' });
});

test('whose model it is says who provides it, unless that is given', async () => {
  const own = await startProject();
  const item = await own.create('task');
  for (const model of ['gpt-4o', MODEL, 'nobody-knows']) {
    await call(own.caller, 'workItems.recordSession', { workItemId: item.id, model, totalTokens: 1 });
  }
  const { groups } = await call(own.caller, 'workItems.usage', { projectId: own.project.id, groupBy: 'provider' });
  expect(groups?.map(({ key, sessions }) => [key, sessions]).toSorted()).toEqual([
    ['anthropic', 2],
    ['openai', 1],
  ]);
});

test.each([
  [{ totalTokens: 10, cachedInputTokens: 1 }, 'inputTokens'],
  [{ totalTokens: 10, inputTokens: 5, cachedInputTokens: 3, cacheWriteTokens: 3 }, 'inputTokens'],
  [{ totalTokens: 10, inputTokens: 8, outputTokens: 3 }, 'totalTokens'],
])('%j is refused for its parts', async (use, field) => {
  const { complete } = await claimed(await startProject());
  await expect(complete(use)).rejects.toThrow(field);
});

describe('a completion after the lease has ended', () => {
  const PARTS = { totalTokens: 70_000, inputTokens: 60_000, outputTokens: 10_000 };

  test('by the same key belongs to the same session: no token is recorded twice', async () => {
    const own = await startProject();
    const { beat, complete, expire } = await claimed(own);
    await beat(PARTS);
    await expire();
    expect((await usage(own)).totals).toMatchObject({ sessions: 1, totalTokens: 70_000 });
    expect(await complete({ totalTokens: 90_000 })).toMatchObject({ totalTokens: 20_000 });
    const { totals } = await usage(own);
    expect(totals).toMatchObject({ sessions: 2, totalTokens: 90_000, inputTokens: 77_142, outputTokens: 12_858 });
    const cost = 77_142 * 3 + 12_858 * 15;
    expect(totals.estimatedCost).toBe((cost / 1_000_000).toFixed(6));
  });

  test('also when it was moved by hand', async () => {
    const own = await startProject();
    const { item, beat, complete } = await claimed(own);
    await beat(PARTS);
    await own.move(item.id, 'To Do');
    await complete(PARTS);
    expect((await usage(own)).totals).toMatchObject({ totalTokens: 70_000, inputTokens: 60_000 });
    // A second completion is work of its own.
    await complete(PARTS);
    expect((await usage(own)).totals.totalTokens).toBe(140_000);
  });

  test('is a session of its own once somebody else has claimed the item', async () => {
    const own = await startProject();
    const { item, beat, expire } = await claimed(own);
    await beat(PARTS);
    await expire();
    const other = { ...own.caller, keyId: crypto.randomUUID() };
    const { lease } = await call(other, 'workItems.claim', { ids: [item.id], agent: 'two' });
    const completion = { workItemId: item.id, reviewColumnId: 'Review', model: MODEL, totalTokens: 5_000 };
    await call(other, 'workItems.completeAiTask', { ...completion, leaseToken: lease?.token });
    expect((await usage(own)).totals.totalTokens).toBe(75_000);
  });
});

describe('a lease whose model changes', () => {
  const OTHER = 'gpt-4o';

  test('costs what each model has used, at its price, and so does its completion', async () => {
    const own = await startProject();
    await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
    const { beat, complete } = await claimed(own);
    const inFlight = async (fields: Beat) => (await beat(fields)).budget?.spent.inFlightUsd;
    expect(await inFlight({ inputTokens: 100_000, outputTokens: 10_000 })).toBe(0.45);
    expect(await inFlight({ model: OTHER })).toBe(0.45);
    const grown = { inputTokens: 300_000, outputTokens: 20_000, cachedInputTokens: 100_000 };
    expect(await inFlight({ model: OTHER, ...grown })).toBe(0.45 + (0.25 + 0.125 + 0.1));
    // Within a model, a better estimate still replaces the one before.
    expect(await inFlight({ model: OTHER, ...grown, cachedInputTokens: 0 })).toBe(0.45 + (0.5 + 0.1));
    expect(await inFlight({ inputTokens: 400_000, outputTokens: 20_000, cachedInputTokens: 0 })).toBe(1.05 + 0.3);
    expect(
      await complete({ model: OTHER, totalTokens: 440_000, inputTokens: 420_000, outputTokens: 20_000 }),
    ).toMatchObject({ totalTokens: 440_000, estimatedCost: '1.400000', costBasis: 'split' });
    const { totals, budget } = await usage(own);
    expect(totals).toMatchObject({ totalTokens: 440_000, inputTokens: 420_000, estimatedCost: '1.400000' });
    expect(budget?.spent).toEqual({ recordedUsd: 1.4, inFlightUsd: 0 });
  });

  test('also when it ends before its completion, by another model again', async () => {
    const own = await startProject();
    const { beat, complete, expire } = await claimed(own);
    await beat({ totalTokens: 1_000_000, inputTokens: 1_000_000 });
    await beat({ model: OTHER, totalTokens: 2_000_000, inputTokens: 2_000_000 });
    await expire();
    expect((await usage(own)).totals).toMatchObject({ totalTokens: 2_000_000, estimatedCost: '5.500000' });
    await complete({ model: 'gpt-4o-mini', totalTokens: 3_000_000, inputTokens: 3_000_000 });
    expect((await usage(own)).totals).toMatchObject({ totalTokens: 3_000_000, estimatedCost: '5.650000' });
  });

  test.each([
    [
      'has parts only from then on',
      { totalTokens: 1_000_000 },
      { totalTokens: 2_000_000, inputTokens: 2_000_000 },
      6 + 2.5,
    ],
    ['has parts only until then', { inputTokens: 1_000_000, outputTokens: 0 }, { totalTokens: 2_000_000 }, 3 + 2.5],
    ['was paid until then', { totalTokens: 10, costUsd: 5 }, { totalTokens: 1_000_010 }, 5 + 4.375],
    ['is paid in the end', { totalTokens: 1_000_000 }, { totalTokens: 2_000_000, costUsd: 1 }, 1],
    ['had no price until then', { model: 'my-own', totalTokens: 1_000_000 }, { totalTokens: 2_000_000 }, 4.375],
    ['has no price from then on', { totalTokens: 1_000_000 }, { model: 'my-own', totalTokens: 2_000_000 }, 6],
    ['was not named until then', { model: undefined, totalTokens: 1_000_000 }, { totalTokens: 2_000_000 }, 8.75],
  ])('and %s', async (_, first: Beat, then: Beat, costUsd) => {
    const own = await startProject();
    await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
    const { beat, expire } = await claimed(own);
    await beat(first);
    expect((await beat({ model: OTHER, ...then })).budget?.spentUsd).toBe(costUsd);
    await expire();
    expect((await usage(own)).totals).toMatchObject({ estimatedCost: costUsd.toFixed(6) });
  });

  test('and what was paid for the one that has no price is not forgotten either', async () => {
    const own = await startProject();
    const { beat, expire } = await claimed(own);
    await beat({ totalTokens: 10, costUsd: 1 });
    await beat({ model: 'my-own', totalTokens: 20, costUsd: 2 });
    await beat({ totalTokens: 30, model: undefined });
    await expire();
    expect((await usage(own)).totals).toMatchObject({ totalTokens: 30, estimatedCost: '2.000000' });
  });

  test('has the provider of each, unless that was said', async () => {
    const own = await startProject();
    for (const provider of [undefined, 'openrouter']) {
      const { beat, expire } = await claimed(own);
      await beat({ model: 'gemini-2.5-pro', totalTokens: 10, provider });
      await beat({ totalTokens: 20 });
      await expire();
    }
    const { groups } = await call(own.caller, 'workItems.usage', { projectId: own.project.id, groupBy: 'provider' });
    expect(groups?.map(({ key }) => key).toSorted()).toEqual(['anthropic', 'openrouter']);
  });

  test('has each difference priced once, when heartbeats are repeated or come together', async () => {
    const own = await startProject();
    await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
    const { beat, expire } = await claimed(own);
    const first = { totalTokens: 1_000_000, inputTokens: 1_000_000 };
    const second = { model: OTHER, totalTokens: 2_000_000, inputTokens: 2_000_000 };
    await beat(first);
    await Promise.all([second, first, second, first, second].map(beat));
    await expire();
    const { totals, budget } = await usage(own);
    expect(totals.estimatedCost).toBe('5.500000');
    expect(budget?.spent).toEqual({ recordedUsd: 5.5, inFlightUsd: 0 });
  });
});

test('a budget knows what is recorded and what is in flight, and says both when it is used up', async () => {
  const own = await startProject();
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 2 });
  const [first, second] = [await claimed(own), await claimed(own)];
  await first.complete({ totalTokens: 10, costUsd: 1.25 });
  const { budget, stop } = await second.beat({ totalTokens: 10, costUsd: 0.75 });
  expect([budget, stop]).toMatchObject([{ spentUsd: 2, spent: { recordedUsd: 1.25, inFlightUsd: 0.75 } }, true]);
  await own.create('task');
  const { reason } = await call(own.caller, 'workItems.claim', { agent: 'three' });
  expect(reason).toContain('$2.00 of $2.00 ($1.25 recorded, $0.75 by agents still at work)');
  await second.expire();
  expect((await usage(own)).budget).toMatchObject({ spentUsd: 2, spent: { recordedUsd: 2, inFlightUsd: 0 } });
  // Counted from scratch, it is the same.
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 3 });
  expect((await usage(own)).budget).toMatchObject({ spentUsd: 2, spent: { recordedUsd: 2, inFlightUsd: 0 } });
});

test('a heartbeat may give the parts without their total, and what was paid alone', async () => {
  const own = await startProject();
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
  const work = await claimed(own);
  const { lease, budget } = await work.beat({ inputTokens: 80_000, outputTokens: 10_000 });
  expect([lease.tokensSoFar, budget?.spent.inFlightUsd]).toEqual([90_000, 0.39]);
  const paid = await work.beat({ costUsd: 5 });
  expect([paid.lease.tokensSoFar, paid.budget?.spent.inFlightUsd]).toEqual([90_000, 5]);
  await work.complete({ totalTokens: 90_000 });
  expect((await usage(own)).totals).toMatchObject({
    inputTokens: 80_000,
    outputTokens: 10_000,
    estimatedCost: '5.000000',
  });
});

test('a heartbeat that gives one of the parts leaves the others as they were', async () => {
  const own = await startProject();
  const work = await claimed(own);
  await work.beat({ inputTokens: 80_000, outputTokens: 10_000, cachedInputTokens: 50_000 });
  expect((await work.beat({ inputTokens: 90_000 })).lease.tokensSoFar).toBe(100_000);
  expect((await work.beat({ outputTokens: 12_000 })).lease.tokensSoFar).toBe(102_000);
  await work.complete({ totalTokens: 102_000 });
  expect((await usage(own)).totals).toMatchObject({
    inputTokens: 90_000,
    outputTokens: 12_000,
    cachedInputTokens: 50_000,
  });
});

test('what was paid is not forgotten when more tokens are reported without what they cost', async () => {
  const own = await startProject();
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
  const work = await claimed(own);
  await work.beat({ totalTokens: 1_000, costUsd: 5 });
  expect((await work.beat({ totalTokens: 2_000 })).budget?.spent.inFlightUsd).toBe(5);
  expect(await work.complete({ totalTokens: 3_000 })).toMatchObject({ estimatedCost: '5.000000', costBasis: 'paid' });
});

test('what was paid is not lowered by a later heartbeat, but an estimate is', async () => {
  const own = await startProject();
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 100 });
  const work = await claimed(own);
  const inFlight = async (fields: Beat) => (await work.beat(fields)).budget?.spent.inFlightUsd;
  expect(await inFlight({ totalTokens: 1_000_000 })).toBe(6);
  expect(await inFlight({ totalTokens: 1_000_000, costUsd: 5 })).toBe(5);
  expect(await inFlight({ costUsd: 2 })).toBe(5);
  expect(await inFlight({ totalTokens: 3_000_000, costUsd: 4.5 })).toBe(5);
  expect(await inFlight({ costUsd: 5.25 })).toBe(5.25);
  // An estimate that was dearer in between gives way to all that was paid, and not to less.
  expect(await inFlight({ totalTokens: 4_000_000 })).toBe(24);
  expect(await inFlight({ costUsd: 4 })).toBe(5.25);
  await work.expire();
  expect((await usage(own)).totals).toMatchObject({ totalTokens: 4_000_000, estimatedCost: '5.250000' });
});

test('200 agents at once under one budget: what is recorded is what was reported, to a micro-dollar', async () => {
  const own = await startProject();
  await call(own.caller, 'projects.setBudget', { id: own.project.id, limitUsd: 1_000_000 });
  const [plan] = fc.sample(
    fc.array(
      fc.record({
        input: fc.nat(1_000_000),
        output: fc.nat(100_000),
        paid: fc.option(fc.nat(10_000_000)),
        beats: fc.nat(2),
        end: fc.constantFrom('total', 'parts', 'expires', 'late'),
      }),
      { minLength: 200, maxLength: 200 },
    ),
    1,
  );
  const agents = await Promise.all((plan ?? []).map(async (agent) => ({ ...agent, at: await claimed(own) })));
  let reported = 0;
  await Promise.all(
    agents.map(async ({ input, output, paid, beats, end, at }) => {
      const cost = paid === null ? {} : { costUsd: paid / 1_000_000 };
      const whole = { totalTokens: input + output, inputTokens: input, outputTokens: output, ...cost };
      const sends = end === 'parts' ? beats : Math.max(1, beats);
      for (let beat = 0; beat < sends; beat++) await at.beat(whole);
      if (end === 'expires' || end === 'late') await at.expire();
      if (end === 'total' || end === 'late') await at.complete({ totalTokens: whole.totalTokens });
      if (end === 'parts') await at.complete(whole);
      reported += paid ?? input * 3 + output * 15;
    }),
  );
  // A sweep leaves to others what they have begun.
  await settleEndedLeases(new Date());
  const { totals, budget } = await usage(own);
  const byItem = await call(own.caller, 'workItems.usage', { projectId: own.project.id, groupBy: 'workItem' });
  const wrong = agents.flatMap(({ at, ...agent }) => {
    const recorded = byItem.groups?.find(({ key }) => key === at.item.id)?.estimatedCost;
    const wanted = ((agent.paid ?? agent.input * 3 + agent.output * 15) / 1_000_000).toFixed(6);
    return recorded === wanted ? [] : [{ ...agent, recorded, wanted }];
  });
  expect(wrong).toEqual([]);
  expect(totals.estimatedCost).toBe((reported / 1_000_000).toFixed(6));
  expect(totals.totalTokens).toBe(agents.reduce((sum, { input, output }) => sum + input + output, 0));
  expect(budget?.spentUsd).toBe(reported / 1_000_000);
  expect(budget?.spent).toEqual({ recordedUsd: reported / 1_000_000, inFlightUsd: 0 });
}, 300_000);

describe('MODEL_PRICES_FILE', () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true }));

  test('comes before the known prices, and is read again when it changes', async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'worktrack-prices-'));
    const file = path.join(folder, 'prices.json');
    const write = (input: number) =>
      writeFile(
        file,
        JSON.stringify({
          prices: [{ pattern: 'own-*', provider: 'Me', inputUsdPerMillion: input, outputUsdPerMillion: input * 2 }],
        }),
      );
    await write(1);
    await usePriceFile(file, log);
    const own = await startProject();
    const item = await own.create('task');
    const record = async (model = 'Own-model') => {
      const use = { model, inputTokens: 500_000, outputTokens: 500_000, totalTokens: 1_000_000 };
      const { estimatedCost } = await call(own.caller, 'workItems.recordSession', { workItemId: item.id, ...use });
      return estimatedCost;
    };
    expect(await record()).toBe('1.500000');
    expect(await record('me/Own-model')).toBe('1.500000');
    const { prices } = await call(own.caller, 'workItems.modelPrices', {});
    expect(prices[0]).toMatchObject({ pattern: 'own-*', provider: 'Me' });
    expect(prices.length).toBeGreaterThan(500);
    const sonnet = await call(own.caller, 'workItems.modelPrices', { provider: 'anthropic', model: MODEL });
    expect(sonnet.prices[0]).toMatchObject({ inputUsdPerMillion: 3, cachedInputUsdPerMillion: 0.3 });
    const whole = { provider: 'anthropic', model: `anthropic/${MODEL}` };
    expect(await call(own.caller, 'workItems.modelPrices', whole)).toEqual(sonnet);
    await write(10);
    await expect.poll(() => record()).toBe('15.000000');
    await writeFile(file, '{ "prices": [ { "pattern": 5 } ] }');
    const unreadable = registry.getSingleMetric('worktrack_model_prices_unreadable_total');
    await expect
      .poll(async () => [await record(), (await unreadable?.get())?.values[0]?.value])
      .toEqual(['15.000000', 1]);
    await expect(usePriceFile(path.join(folder, 'none.json'), log)).rejects.toThrow('ENOENT');
    await writeFile(file, '{ "prices": [] }');
    await expect.poll(() => record()).toBe('unknown');
  });
});
