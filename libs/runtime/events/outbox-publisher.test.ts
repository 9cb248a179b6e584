import { createSecretKey, randomBytes } from 'node:crypto';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import { connectBroker } from '@worktrack/rpc/connection';
import { Election } from '@worktrack/rpc/events/election';
import { LogConsumer } from '@worktrack/rpc/events/log-consumer';
import { hmacSigner } from '@worktrack/rpc/message/signature';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servers, virtualHost } from '../../../test/support/servers.ts';
import { connectDatabase, disconnectDatabase } from '../database/connection.ts';
import { OutboxModel, type OutboxRecord } from '../database/outbox/outbox.model.ts';
import { emit, onEmitted, outbox } from '../database/outbox/outbox.repository.ts';
import { commitAlone } from '../database/writes/commit-alone.ts';
import { createLog } from '../process/logging.ts';
import { registry, rpcObserver } from '../process/metrics.ts';
import { uuidv7 } from '../process/uuid.ts';
import { OutboxPublisher } from './outbox-publisher.ts';

const signer = hmacSigner([createSecretKey(randomBytes(32))]);
const log = createLog('test', 'silent');
const organizationId = uuidv7();
const caller = { organizationId, userId: uuidv7(), keyId: uuidv7() };

let rabbitmqUrl: string;
/** What arrived at the log, including second deliveries. */
let arrived: PublishedEvent[] = [];
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const lease = await servers();
  rabbitmqUrl = await virtualHost();
  await connectDatabase({ url: lease.mongodbUrl, database: `${lease.databasePrefix}_outbox`, log });
  const broker = await connectBroker({ url: rabbitmqUrl, name: 'test log', log });
  const take = async (events: readonly PublishedEvent[]) => void arrived.push(...events);
  const consumer = new LogConsumer({ broker, signer, log, observer: rpcObserver, take, canStore: async () => true });
  await consumer.ready;
  ends.push(
    () => broker.close(),
    () => consumer.close(),
  );
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await disconnectDatabase();
});
const publishers = new Set<() => Promise<void>>();
beforeEach(() => {
  arrived = [];
});
afterEach(async () => {
  for (const stop of publishers) await stop();
  publishers.clear();
});

type Options = ConstructorParameters<typeof OutboxPublisher>[0];

/** A process that publishes what is waiting. */
async function publisher({ isTold = true, ...more }: Partial<Options> & { readonly isTold?: boolean } = {}) {
  const broker = await connectBroker({ url: rabbitmqUrl, name: 'test publisher', log });
  const made = new OutboxPublisher({
    broker,
    service: 'test',
    signer,
    log,
    sources: [outbox],
    onEmitted: isTold ? onEmitted : () => ({ stop: () => {} }),
    ...more,
  });
  const stop = async () => {
    publishers.delete(stop);
    await made.close();
    await broker.close();
  };
  publishers.add(stop);
  /** As when the process ends: its connections disappear without a word. */
  const die = async () => {
    publishers.delete(stop);
    await broker.close();
    await made.close();
  };
  return { stop, die };
}

function record(subjectId: string, revision: number, madeAtMs = Date.now()): OutboxRecord {
  const time = madeAtMs.toString(16).padStart(12, '0');
  return {
    _id: `${time.slice(0, 8)}-${time.slice(8)}${uuidv7().slice(13)}`,
    organizationId,
    type: 'work_item.updated',
    at: new Date(madeAtMs).toISOString(),
    actor: null,
    subject: { kind: 'work_item', id: subjectId },
    revision,
    data: '{"changes":{}}',
  };
}

/** First deliveries, by subject. */
function revisionsBySubject(): Record<string, number[]> {
  const seen = new Set<string>();
  const revisions: Record<string, number[]> = {};
  for (const { id, subject, revision } of arrived) {
    if (!seen.has(id)) revisions[subject.id] = [...(revisions[subject.id] ?? []), revision];
    seen.add(id);
  }
  return revisions;
}

const isEmpty = async () => (await OutboxModel.countDocuments()) === 0;

describe('what a write emits', () => {
  const update = { type: 'work_item.updated', subject: { kind: 'work_item', id: 'item' }, data: {} } as const;

  test('is published once it is stored, by whichever process is elected, and then gone from the outbox', async () => {
    await publisher({ isTold: false });
    await publisher();
    await commitAlone(async ({ writes }) => {
      emit({ caller, writes }, { ...update, revision: 3, projectId: 'p', data: { changes: { a: { $set: 1 } } } });
    });
    await expect
      .poll(() => arrived)
      .toMatchObject([
        {
          organizationId,
          ...update,
          revision: 3,
          projectId: 'p',
          actor: { userId: caller.userId, keyId: caller.keyId },
          data: { changes: { a: { $set: 1 } } },
        },
      ]);
    await expect.poll(isEmpty).toBe(true);
  });

  test('is published even if its process died before it could report it', async () => {
    await OutboxModel.create(record('unannounced', 1));
    await publisher({ isTold: false });
    await expect.poll(() => revisionsBySubject()).toEqual({ unannounced: [1] });
    await OutboxModel.create(record('unannounced', 2));
    await expect.poll(() => revisionsBySubject()).toEqual({ unannounced: [1, 2] });
  });

  test('is published soon after the database is back, although nobody commits anything then', async () => {
    let failures = 1;
    const failing: typeof outbox = {
      ...outbox,
      next: (...asked) => (failures-- > 0 ? Promise.reject(new Error('The database is away.')) : outbox.next(...asked)),
    };
    await OutboxModel.create(record('left', 1));
    // It looks by itself when it begins to publish, and not again before this test has ended.
    await publisher({ isTold: false, sources: [failing], lookEveryMs: 24 * 3_600_000 });
    await expect.poll(() => revisionsBySubject()).toEqual({ left: [1] });
    expect(failures).toBeLessThan(0);
  });

  test('is tried again at one pace while it cannot be published, however often others tell of more, and the log says so once', async () => {
    const triedAtMs: number[] = [];
    let isAway = true;
    const failing: typeof outbox = {
      ...outbox,
      next: (...asked) => {
        triedAtMs.push(performance.now());
        return isAway ? Promise.reject(new Error('The database is away.')) : outbox.next(...asked);
      },
    };
    const lines: string[] = [];
    const listening = Object.assign(createLog('test', 'silent'), {
      warn: (_: object, text: string) => lines.push(text),
      info: (_: object, text: string) => lines.push(text),
    });
    let tell = () => {};
    const told = (listener: () => void) => {
      tell = listener;
      return { stop: () => {} };
    };
    await OutboxModel.create(record('kept', 1));
    await publisher({ sources: [failing], log: listening, onEmitted: told, lookEveryMs: 24 * 3_600_000 });
    for (let hint = 1; hint <= 10; hint++) {
      const before = triedAtMs.length;
      tell();
      await expect.poll(() => triedAtMs.length).toBeGreaterThan(before);
    }
    const first = triedAtMs.length;
    await expect.poll(() => triedAtMs.length, { timeout: 10_000 }).toBeGreaterThan(first + 4);
    // Half a second between two of them, and timers may be a little early.
    expect((triedAtMs[first + 4] ?? 0) - (triedAtMs[first] ?? 0)).toBeGreaterThan(4 * 450);
    isAway = false;
    await expect.poll(() => revisionsBySubject()).toEqual({ kept: [1] });
    await expect
      .poll(() => lines)
      .toEqual(['Events could not be published; trying again', 'Events are published again']);
  });

  test('is not there if the write is not', async () => {
    await publisher();
    const refused = commitAlone(async ({ writes }) => {
      emit({ caller, writes }, { ...update, revision: 1 });
      throw new Error('Refused.');
    });
    await expect(refused).rejects.toThrow('Refused.');
    expect(await isEmpty()).toBe(true);
    await commitAlone(async ({ writes }) => emit({ caller, writes }, { ...update, revision: 2 }));
    await expect.poll(() => revisionsBySubject()).toEqual({ item: [2] });
  });
});

describe('the order of a subject', () => {
  test('is that of its revisions, however far apart the clocks of its writers are, and however much is waiting', async () => {
    const now = Date.now();
    const records: OutboxRecord[] = [];
    // The later a revision, the earlier the clock of the process that made it; in between lies more than one batch of others.
    for (let revision = 1; revision <= 20; revision++) {
      records.push(record('skewed', revision, now - revision * 60_000));
      for (let other = 0; other < 40; other++)
        records.push(record(`other ${other}`, revision, now - 30_000 + revision));
    }
    await OutboxModel.insertMany(records);
    await publisher();
    await expect.poll(isEmpty).toBe(true);
    await expect.poll(() => Object.keys(revisionsBySubject()).length).toBe(41);
    for (const revisions of Object.values(revisionsBySubject())) {
      expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
  });

  test('is kept by several processes that die and publish at the same time, and nothing is lost', async () => {
    const all = new Map<string, number[]>();
    let running = [await publisher(), await publisher(), await publisher()];
    for (let revision = 1; revision <= 60; revision++) {
      const subjects = Array.from({ length: 10 }, (_, index) => `raced ${index}`);
      for (const id of subjects) all.set(id, [...(all.get(id) ?? []), revision]);
      // Each with a different clock.
      const skewMs = () => Date.now() + Math.floor(Math.random() * 10_000);
      await OutboxModel.insertMany(subjects.map((id) => record(id, revision, skewMs())));
      if (revision % 15 === 0) {
        const [oldest, ...others] = running;
        const [born] = await Promise.all([publisher(), oldest?.die()]);
        running = [...others, born];
      }
    }
    await expect.poll(isEmpty).toBe(true);
    await expect.poll(() => revisionsBySubject()).toEqual(Object.fromEntries(all));
  });
});

test('what the broker takes and does not confirm is told of, and published once it is back', async () => {
  const proxy = await TestProxy.to(rabbitmqUrl);
  const broker = await connectBroker({ url: proxy.url, name: 'test publisher', log });
  const lines: string[] = [];
  const listening = Object.assign(createLog('test', 'silent'), { warn: (_: object, text: string) => lines.push(text) });
  const silent = proxy.silence('unconfirmed');
  await OutboxModel.create(record('unconfirmed', 1));
  const publishing = new OutboxPublisher({
    ...{ broker, service: 'test', signer, log: listening, sources: [outbox], onEmitted },
  });
  await silent;
  await expect.poll(() => lines, { timeout: 15_000 }).toContain('The broker does not confirm events; waiting for it');
  proxy.cut();
  await expect.poll(() => revisionsBySubject(), { timeout: 15_000 }).toEqual({ unconfirmed: [1] });
  await publishing.close();
  await broker.close();
  await proxy.close();
});

test('a process that is no longer elected has no lag, whatever it could not publish before', async () => {
  const proxy = await TestProxy.to(rabbitmqUrl);
  const [broker, otherBroker] = await Promise.all(
    [proxy.url, rabbitmqUrl].map((url) => connectBroker({ url, name: 'test publisher', log })),
  );
  if (!broker || !otherBroker) throw new Error('There is no broker.');
  const old = { ...record('kept', 1, Date.now() - 3_600_000), data: {} } as unknown as PublishedEvent;
  const failing = {
    next: async () => [old],
    earlier: async () => [],
    remove: () => Promise.reject(new Error('The database is away.')),
  };
  const own = { broker, service: 'cut-off', signer, log, sources: [failing], onEmitted };
  const publishing = new OutboxPublisher(own);
  const lag = async () => (await registry.getSingleMetric('worktrack_outbox_lag_seconds')?.get())?.values[0]?.value;
  await expect.poll(lag).toBeGreaterThan(3_599);

  let isElected = false;
  const other = new Election({
    ...{ broker: otherBroker, queue: 'outbox.cut-off', log },
    nudged: () => (isElected = true),
  });
  await other.ready;
  proxy.cut();
  await expect.poll(() => isElected).toBe(true);
  await expect.poll(lag).toBe(0);

  await publishing.close();
  await other.close();
  await Promise.all([broker.close(), otherBroker.close()]);
  await proxy.close();
});

test('100 000 events that waited for a broker drain in bounded memory', async () => {
  const COUNT = 100_000;
  for (let at = 0; at < COUNT; at += 1_000) {
    await OutboxModel.insertMany(
      Array.from({ length: 1_000 }, (_, index) => record(`drained ${index % 500}`, ((at + index) / 500) | 0)),
      { lean: true },
    );
  }
  const startedAtMs = Date.now();
  const before = process.memoryUsage().heapUsed;
  let highest = 0;
  let count = 0;
  const watch = setInterval(() => {
    // What arrives is only this test's.
    count += arrived.splice(0).length;
    highest = Math.max(highest, process.memoryUsage().heapUsed - before);
  }, 20);
  try {
    await publisher();
    await expect.poll(() => count + arrived.length, { timeout: 250_000 }).toBe(COUNT);
    await expect.poll(isEmpty).toBe(true);
  } finally {
    clearInterval(watch);
  }
  const tookMs = Date.now() - startedAtMs;
  console.log(`${COUNT} events in ${tookMs} ms, ${Math.round(highest / 1_048_576)} MiB`);
  expect(highest).toBeLessThan(128 * 1_048_576);
}, 300_000);
