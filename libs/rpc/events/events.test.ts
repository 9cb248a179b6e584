import { createSecretKey, randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType, LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import { type Channel, connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Progress } from '../../../stack/report/progress.ts';
import { WAL_MAX_BYTES } from '../../../stack/servers/rabbitmq.ts';
import { type Servers, startServers } from '../../../stack/servers/start.ts';
import { type Broker, connectBroker } from '../connection.ts';
import { hmacSigner } from '../message/signature.ts';
import { signedMessage } from '../message/signed.ts';
import { lookAtQueue } from '../queues.ts';
import { Recorder } from '../testing/rig.ts';
import { Election } from './election.ts';
import { EventPublisher } from './event-publisher.ts';
import { LogConsumer } from './log-consumer.ts';
import { NewsPublisher } from './news-publisher.ts';
import { subscribeToEvents, subscribeToNews } from './subscription.ts';
import { declareLog, EVENTS_EXCHANGE, LOG_DEAD_QUEUE, LOG_QUEUE } from './topology.ts';

const signer = hmacSigner([createSecretKey(randomBytes(32))]);
const seen = new Recorder();
const { log } = seen;

// A broker of its own: it is killed.
let folder: string;
let own: Servers;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'worktrack-events-'));
  const given = { redis: 'redis://not.used', mongodb: 'mongodb://not.used' };
  own = await startServers({ dataDir: folder, progress: new Progress(process.stderr), given });
  const connection = await connect(own.urls.rabbitmq);
  await declareLog(connection, log);
  await connection.close();
});
afterAll(async () => {
  await own.discard();
  rmSync(folder, { recursive: true, force: true });
});

const ends = new Set<() => Promise<void>>();
afterEach(async () => {
  for (const end of [...ends].reverse()) await end();
  ends.clear();
  // What a test left behind would be the next one's.
  const connection = await connect(own.urls.rabbitmq);
  const channel = await connection.createChannel();
  await channel.purgeQueue(LOG_QUEUE);
  await connection.close();
});

async function broker(): Promise<Broker> {
  const connected = await connectBroker({ url: own.urls.rabbitmq, name: 'test', log });
  ends.add(() => connected.close());
  return connected;
}

async function publisher(): Promise<EventPublisher> {
  const made = new EventPublisher({ broker: await broker(), signer });
  ends.add(() => made.close());
  await made.ready;
  return made;
}

/** A replica of the log, which consumes with this. Its `die` cuts its connections, as the end of its process does. */
async function consumer(take: (events: readonly PublishedEvent[]) => Promise<void>, canStore = async () => true) {
  const connected = await broker();
  const made = new LogConsumer({ broker: connected, signer, log, observer: seen, take, canStore });
  ends.add(() => made.close());
  await made.ready;
  return { die: () => connected.close(), close: () => made.close() };
}

let made = 0;
function events(count: number, type: (index: number) => EventType = () => 'work_item.moved'): PublishedEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `event-${++made}`,
    organizationId: 'o',
    type: type(index),
    at: new Date().toISOString(),
    actor: null,
    subject: { kind: 'work_item', id: 'i' },
    revision: index,
    data: { text: 'ü' },
  }));
}
const ids = (of: readonly PublishedEvent[]) => of.map(({ id }) => id);

describe('the queue of the log', () => {
  test('must exist before anything is published: until then services keep their events', async () => {
    const connection = await connect(own.urls.rabbitmq);
    const channel = await connection.createChannel();
    await channel.deleteQueue(LOG_QUEUE);
    const from = new EventPublisher({ broker: await broker(), signer });
    ends.add(() => from.close());
    await expect
      .poll(() => seen.lines.map(({ fields }) => String(fields.error)))
      .toContainEqual(expect.stringMatching(/no queue 'events.log'/));
    await expect(from.publish(events(1))).rejects.toThrow();
    await declareLog(connection, log);
    await from.ready;
    await from.publish(events(1));
    await connection.close();
  });

  test.each<[string, (channel: Channel) => Promise<unknown>]>([
    ['binding', (channel) => channel.unbindQueue(LOG_QUEUE, EVENTS_EXCHANGE, '#')],
    ['exchange', (channel) => channel.deleteExchange(EVENTS_EXCHANGE)],
    ['queue of dead letters', (channel) => channel.deleteQueue(LOG_DEAD_QUEUE)],
  ])('is declared again after somebody has deleted its %s, and what was kept meanwhile arrives', async (_, remove) => {
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    const from = await publisher();
    const connection = await connect(own.urls.rabbitmq);
    await remove(await connection.createChannel());
    const all = events(3);
    await expect
      .poll(() =>
        from.publish(all).then(
          () => 'published',
          () => 'kept',
        ),
      )
      .toBe('published');
    await expect.poll(() => ids(taken)).toEqual(ids(all));
    await expect.poll(() => lookAtQueue(connection, LOG_DEAD_QUEUE)).toEqual({ messages: 0, consumers: 0 });
    await connection.close();
  });

  test('delivers all events in the order of their publication, several types interleaved', async () => {
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    const all = events(1_000, (index) => (index % 7 < 4 ? 'work_item.moved' : 'work_item.ready'));
    const from = await publisher();
    for (let at = 0; at < all.length; at += 250) await from.publish(all.slice(at, at + 250));
    await expect.poll(() => taken.length).toBe(all.length);
    expect(taken).toEqual(all);
  });

  test('has the broker begin a new file before it keeps much of the last one in memory', async () => {
    const connection = await connect(own.urls.rabbitmq);
    const channel = await connection.createConfirmChannel();
    const mebibyte = Buffer.alloc(1024 ** 2);
    for (let written = 0; written < 1.5 * WAL_MAX_BYTES; written += mebibyte.length) {
      channel.sendToQueue(LOG_QUEUE, mebibyte, { persistent: true });
    }
    await channel.waitForConfirms();
    await connection.close();
    const files = globSync('rabbitmq/mnesia/*/quorum/*/*.wal', { cwd: folder });
    const sizes = files.map((file) => statSync(join(folder, file)).size);
    expect(sizes.length).toBeGreaterThan(0);
    // It looks after each batch.
    expect(Math.max(...sizes)).toBeLessThan(1.25 * WAL_MAX_BYTES);
  });

  test('keeps what nobody consumes, and gives it to the first replica that comes', async () => {
    const all = events(10);
    await (await publisher()).publish(all);
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    await expect.poll(() => ids(taken)).toEqual(ids(all));
  });

  test('is for one replica at a time, and what one took and did not finish goes to the next, in order', async () => {
    const begun = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    const first = await consumer(() => {
      begun.resolve();
      return never;
    });
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    const all = events(200);
    await (await publisher()).publish(all);
    await begun.promise;
    expect(taken).toEqual([]);
    await first.die();
    // The first never finishes.
    ends.delete([...ends][1] as () => Promise<void>);
    await expect.poll(() => ids(taken)).toEqual(ids(all));
  });

  test('continues in order when a replica stops after taking part of what it was given', async () => {
    const taken: PublishedEvent[] = [];
    const begun = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const first = await consumer(async (batch) => {
      taken.push(...batch);
      begun.resolve();
      await mayGoOn.promise;
    });
    await consumer(async (batch) => void taken.push(...batch));
    const from = await publisher();
    const all = events(120);
    await from.publish(all.slice(0, 40));
    await begun.promise;
    // These wait at the first replica, behind those that it is processing.
    await from.publish(all.slice(40, 80));
    const stopped = first.close();
    await from.publish(all.slice(80));
    mayGoOn.resolve();
    await stopped;
    await expect.poll(() => new Set(ids(taken)).size).toBe(all.length);
    // Of duplicates the first delivery counts.
    expect([...new Set(ids(taken))]).toEqual(ids(all));
  });

  test('redelivers what could not be taken, and nothing that follows before it', async () => {
    const taken: PublishedEvent[] = [];
    let failures = 2;
    await consumer(async (batch) => {
      if (failures-- > 0) throw new Error('The database is unavailable.');
      taken.push(...batch);
    });
    const from = await publisher();
    const all = events(3);
    for (const event of all) await from.publish([event]);
    await expect.poll(() => ids(taken)).toEqual(ids(all));
  });

  test('puts aside what nobody with the key has sent, and what cannot be read, and carries on', async () => {
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    const [good] = events(1) as [PublishedEvent];
    const connection = await connect(own.urls.rabbitmq);
    const channel = await connection.createConfirmChannel();
    await channel.purgeQueue(LOG_DEAD_QUEUE);
    const others = hmacSigner([createSecretKey(randomBytes(32))]);
    for (const content of [
      Buffer.from(JSON.stringify({ e: events(1) })),
      signedMessage(others, JSON.stringify({ e: events(1) })),
      signedMessage(signer, JSON.stringify({ e: [{ id: 'x' }] })),
      signedMessage(signer, 'no JSON'),
      signedMessage(signer, JSON.stringify({ e: [good] })),
    ]) {
      channel.publish(EVENTS_EXCHANGE, 'work_item.moved', content);
    }
    await expect.poll(() => ids(taken)).toEqual([good.id]);
    await expect.poll(async () => (await channel.checkQueue(LOG_DEAD_QUEUE)).messageCount).toBe(4);
    await connection.close();
  });
});

describe('an event that cannot be stored', () => {
  test('goes to the dead letters with its message, and all others are taken once, in order', async () => {
    const connection = await connect(own.urls.rabbitmq);
    const channel = await connection.createConfirmChannel();
    await channel.purgeQueue(LOG_DEAD_QUEUE);
    const from = await publisher();
    const all = events(90);
    // The first, one in the middle, and the last: of the last message, so that there is nothing behind it to acknowledge.
    const bad = new Set([all[0], all[47], all[89]].map((event) => event?.id));
    for (let at = 0; at < all.length; at += 10) await from.publish(all.slice(at, at + 10));
    const taken: PublishedEvent[] = [];
    const before = seen.deadLetters.length;
    const first = await consumer(async (batch) => {
      if (batch.some(({ id }) => bad.has(id))) throw new Error('It cannot be stored.');
      taken.push(...batch);
    });
    await expect.poll(async () => (await channel.checkQueue(LOG_DEAD_QUEUE)).messageCount).toBe(3);
    await expect.poll(() => ids(taken)).toEqual(ids(all).filter((id) => !bad.has(id)));
    expect(seen.deadLetters.slice(before)).toEqual(Array(3).fill({ queue: LOG_DEAD_QUEUE, reason: 'refused' }));
    const later = events(1);
    await from.publish(later);
    await expect.poll(() => taken.at(-1)?.id).toBe(later[0]?.id);

    // Once the cause is mended they are moved back, unchanged.
    await first.close();
    const again: PublishedEvent[] = [];
    await consumer(async (batch) => void again.push(...batch));
    for (let left = 3; left > 0; left--) {
      const message = await channel.get(LOG_DEAD_QUEUE, { noAck: true });
      if (message) channel.sendToQueue(LOG_QUEUE, message.content, { persistent: true });
    }
    await expect.poll(() => ids(again)).toEqual(ids([...all.slice(0, 10), ...all.slice(40, 50), ...all.slice(80)]));
    await connection.close();
  });

  test('is one only if others can be stored: while the database is away, all of them wait', async () => {
    const taken: PublishedEvent[] = [];
    let attempts = 0;
    let isAway = true;
    await consumer(
      async (batch) => {
        if (++attempts === 5) isAway = false;
        if (isAway) throw new Error('The database is unavailable.');
        taken.push(...batch);
      },
      async () => !isAway,
    );
    const before = seen.deadLetters.length;
    const all = events(20);
    await (await publisher()).publish(all);
    await expect.poll(() => ids(taken)).toEqual(ids(all));
    expect(seen.deadLetters.slice(before)).toEqual([]);
  });
});

describe('a broker that is killed and restarted', () => {
  const before = events(100);
  const after = events(4, (index) => (index % 2 ? 'work_item.ready' : 'work_item.moved'));
  const received: PublishedEvent[] = [];
  let openings = 0;
  // Once for both: it takes five seconds of CPU to start.
  beforeAll(async () => {
    const connected = await connectBroker({ url: own.urls.rabbitmq, name: 'test', log });
    const from = new EventPublisher({ broker: connected, signer });
    await from.ready;
    const subscription = subscribeToEvents({
      broker: connected,
      signer,
      log,
      types: ['work_item.ready'],
      received: (batch) => received.push(...batch),
      opened: () => openings++,
    });
    await subscription.ready;
    await from.publish(before);
    await own.rabbitmq.part?.kill();
    await expect(from.publish(events(1))).rejects.toThrow();
    await own.rabbitmq.part?.restart();
    await vi.waitFor(() => expect(openings).toBe(2), { timeout: 60_000 });
    await vi.waitFor(() => from.publish(after), { timeout: 60_000 });
    return async () => {
      await subscription.close();
      await from.close();
      await connected.close();
    };
  });

  test('has what it confirmed, and refuses the rest in the meantime', async () => {
    const taken: PublishedEvent[] = [];
    await consumer(async (batch) => void taken.push(...batch));
    await expect.poll(() => ids(taken)).toEqual(ids([...before, ...after]));
  });

  test('tells listeners so, who resume what they listened to', async () => {
    expect(openings).toBe(2);
    await expect.poll(() => ids(received)).toEqual([after[1]?.id, after[3]?.id]);
  });
});

describe('the live feed', () => {
  test('gives each listener the organizations that it asked for, from then on and until it unsubscribes', async () => {
    const received: string[] = [];
    const subscription = subscribeToNews({
      broker: await broker(),
      signer,
      log,
      received: (organizationId, news) => {
        if (news.kind === 'events') received.push(...news.events.map(({ id }) => `${organizationId} ${id}`));
      },
      opened: () => {},
    });
    ends.add(() => subscription.close());
    const news = new NewsPublisher(await broker(), signer);
    ends.add(() => news.close());
    await news.ready;
    const tell = (organizationId: string, id: string) =>
      news.tell(organizationId, { kind: 'events', events: [{ ...events(1)[0], seq: 1, id } as LoggedEvent] });
    await subscription.bind('a');
    tell('a', '1');
    tell('b', '2');
    await expect.poll(() => received).toEqual(['a 1']);
    await subscription.bind('b');
    subscription.unbind('a');
    await subscription.bind('c');
    for (const organizationId of ['a', 'b', 'c']) tell(organizationId, '3');
    await expect.poll(() => received).toEqual(['a 1', 'b 3', 'c 3']);
  });
});

describe('an election', () => {
  test('has one winner, reached by the nudges of all; when it is gone, the next follows without a nudge', async () => {
    const nudges = [0, 0, 0];
    const processes = [];
    for (const index of nudges.keys()) {
      const connected = await broker();
      const election = new Election({
        broker: connected,
        queue: 'outbox.test',
        log,
        nudged: () => {
          nudges[index] = (nudges[index] as number) + 1;
        },
      });
      ends.add(() => election.close());
      await election.ready;
      processes.push({ election, die: () => connected.close() });
    }
    const [first, second, third] = processes as [(typeof processes)[0], (typeof processes)[0], (typeof processes)[0]];
    await expect.poll(() => first.election.isElected).toBe(true);
    const before = nudges[0] as number;
    third.election.nudge();
    await expect.poll(() => nudges[0]).toBeGreaterThan(before);
    expect([second.election.isElected, third.election.isElected, nudges[1], nudges[2]]).toEqual([false, false, 0, 0]);
    await first.die();
    await expect.poll(() => second.election.isElected).toBe(true);
    expect(nudges[1]).toBeGreaterThan(0);
    await second.die();
    await expect.poll(() => third.election.isElected).toBe(true);
  });
});
