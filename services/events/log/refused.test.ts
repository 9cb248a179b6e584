import { createSecretKey, randomBytes } from 'node:crypto';
import { connectBroker } from '@worktrack/rpc/connection';
import { EventPublisher } from '@worktrack/rpc/events/event-publisher';
import { LogConsumer } from '@worktrack/rpc/events/log-consumer';
import { hmacSigner } from '@worktrack/rpc/message/signature';
import { createLog } from '@worktrack/runtime/process/logging';
import { registry, rpcObserver } from '@worktrack/runtime/process/metrics';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { virtualHost } from '../../../test/support/servers.ts';
import { event, startEvents } from '../testing.ts';
import { canStore } from './append.repository.ts';

/** More than a document may have (MongoDB manual, Limits and Thresholds). */
const TOO_LARGE = 'x'.repeat(16 * 1024 * 1024);

let events: Awaited<ReturnType<typeof startEvents>>;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events.stop());

test('an event that cannot be stored stops no log: neither another one nor its own, which stays without a gap', async () => {
  const rabbitmqUrl = await virtualHost();
  const log = createLog('test', 'silent');
  const signer = hmacSigner([createSecretKey(randomBytes(32))]);
  const broker = await connectBroker({ url: rabbitmqUrl, name: 'test', log });
  const consumer = new LogConsumer({ broker, signer, log, observer: rpcObserver, take: events.take, canStore });
  await consumer.ready;
  const publisher = new EventPublisher({ broker, signer });
  await publisher.ready;
  const [own, other] = [uuidv7(), uuidv7()];
  const good = Array.from({ length: 8 }, (_, index) => event({ organizationId: index % 2 ? own : other }));
  const bad = event({ organizationId: own, data: { text: TOO_LARGE } });
  await publisher.publish([...good.slice(0, 5), bad, ...good.slice(5)]);
  for (const organizationId of [own, other]) {
    const wanted = good.filter((each) => each.organizationId === organizationId).map(({ id }) => id);
    await expect.poll(async () => (await events.everything(organizationId)).map(({ id }) => id)).toEqual(wanted);
    expect((await events.everything(organizationId)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  }
  await expect
    .poll(() => registry.metrics())
    .toContain('worktrack_rpc_dead_letters_total{queue="events.dead",reason="refused"} 1');
  await consumer.close();
  await publisher.close();
  await broker.close();
});
