import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { serviceContract } from '@worktrack/contracts/operation';
import { type Channel, connect } from 'amqplib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { virtualHost } from '../../test/support/servers.ts';
import { RecoveringChannel } from './channel.ts';
import { type LaneName, laneQueues, MAX_GENERATIONS } from './queues.ts';
import { echoAfter, echoOperation } from './testing/echo.ts';
import { TestProxy } from './testing/proxy.ts';
import { Gate, RpcRig } from './testing/rig.ts';
import type { RpcHandlers } from './types.ts';

const echo = echoOperation('recovery');
const contract = serviceContract('recovery', [
  echo,
  { ...echo, name: 'recovery.prompt', lane: 'long' } as const,
  { ...echo, name: 'recovery.write', effect: 'create' } as const,
]);
type Contract = typeof contract;
const requestId = 'r';

/** Handlers that run this before they answer. */
const doing = (work: (text: string) => Promise<unknown>): RpcHandlers<Contract> => ({
  'recovery.echo': echoAfter(work),
  'recovery.prompt': echoAfter(work),
  'recovery.write': echoAfter(work),
});

let rabbitmqUrl: string;
let rig: RpcRig<Contract>;
let network: TestProxy;
beforeEach(async () => {
  rabbitmqUrl = await virtualHost();
  rig = new RpcRig(rabbitmqUrl, contract);
  network = await TestProxy.to(rabbitmqUrl);
});
afterEach(async () => {
  network.restore();
  await rig.stop();
  await network.close();
});

async function onQueue<T>(lane: LaneName, work: (channel: Channel, queue: string) => Promise<T>): Promise<T> {
  const model = await connect(rabbitmqUrl);
  try {
    return await work(await model.createChannel(), laneQueues('recovery', lane, 1).requests);
  } finally {
    await model.close();
  }
}
const deleteQueue = (lane: LaneName = 'normal') => onQueue(lane, (channel, queue) => channel.deleteQueue(queue));

describe('a client whose connection breaks', () => {
  test('sends its unanswered calls again, within their deadline', async () => {
    const runs: string[] = [];
    const began = new Gate();
    const gate = new Gate();
    await rig.serve(
      doing(async (text) => {
        runs.push(text);
        began.open();
        await gate.passed;
      }),
    );
    const { service, seen } = await rig.client({ url: network.url });
    const call = service.call('recovery.echo', { text: 'once more' }, { requestId });
    await began.passed;
    network.cut();
    await expect.poll(() => runs).toEqual(['once more', 'once more']);
    gate.open();
    expect(await call).toEqual({ text: 'once more' });
    // Two answers were sent; the caller got one.
    expect(seen.calls).toEqual([{ operation: 'recovery.echo', outcome: 'ok' }]);
  });

  test('sends a write with the same secret again, which no other call has, and no read', async () => {
    const secrets: (string | undefined)[] = [];
    const began = new Gate();
    const gate = new Gate();
    const noting: RpcHandlers<Contract>['recovery.write'] = {
      one: async ({ text }, { callSecret }) => {
        secrets.push(callSecret);
        began.open();
        await gate.passed;
        return { output: { text }, replayed: false };
      },
    };
    await rig.serve({ ...doing(async () => {}), 'recovery.echo': noting, 'recovery.write': noting });
    const { service } = await rig.client({ url: network.url });
    const write = () => service.call('recovery.write', { text: 'w' }, { requestId, idempotencyKey: 'the same' });
    const first = write();
    await began.passed;
    network.cut();
    await expect.poll(() => secrets).toHaveLength(2);
    gate.open();
    await first;
    await write();
    await service.call('recovery.echo', { text: 'r' }, { requestId });
    const [mine, again, other, ofRead] = secrets;
    expect(again).toBe(mine);
    expect(Buffer.from(mine ?? '', 'base64url')).toHaveLength(32);
    expect(other).not.toBe(mine);
    expect(ofRead).toBeUndefined();
  });

  test('holds new calls for a moment, and sends them over the next connection', async () => {
    await rig.serve(doing(async () => {}));
    const { service } = await rig.client({ url: network.url });
    await service.call('recovery.echo', { text: 'before' }, { requestId });
    network.cut();
    expect(await service.call('recovery.echo', { text: 'meanwhile' }, { requestId })).toEqual({ text: 'meanwhile' });
  });

  test('refuses new calls when that lasts, at once and with a time to retry, and is not ready', async () => {
    await rig.serve(doing(async () => {}));
    const { service, broker } = await rig.client({ url: network.url });
    await service.call('recovery.echo', { text: 'before' }, { requestId });
    expect(broker.state()).toEqual({ ready: true, publishing: 'open' });
    network.cut({ stayDown: true });
    await expect.poll(() => broker.state()).toEqual({ ready: false, publishing: 'connecting' });
    const kept = service.call('recovery.echo', { text: 'kept' }, { requestId, deadlineMs: 60_000 });
    await expect(kept).rejects.toMatchObject({ code: 'UNAVAILABLE', extra: { retryAfterSeconds: 1 } });
    const refused = service.call('recovery.echo', { text: 'refused' }, { requestId, deadlineMs: 60_000 });
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    network.restore();
    await expect.poll(() => broker.state().ready).toBe(true);
    expect(await service.call('recovery.echo', { text: 'after' }, { requestId })).toEqual({ text: 'after' });
  });

  test('refuses a call that begins when those before it have just been refused, whatever the clock says', async () => {
    await rig.serve(doing(async () => {}));
    const { service, broker } = await rig.client({ url: network.url });
    await service.call('recovery.echo', { text: 'before' }, { requestId });
    network.cut({ stayDown: true });
    await expect.poll(() => broker.state().ready).toBe(false);
    const kept = service.call('recovery.echo', { text: 'kept' }, { requestId, deadlineMs: 60_000 });
    // The timers of a busy process run ahead of its clock.
    const nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => void clock.mockRestore());
    await expect(kept).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const next = service.call('recovery.echo', { text: 'next' }, { requestId, deadlineMs: 60_000 });
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('waits for a service whose connection may have broken with it, and whose queue has ended meanwhile', async () => {
    const server = await rig.serve(doing(async () => {}));
    const { service, seen, broker } = await rig.client({ url: network.url });
    await service.call('recovery.echo', { text: 'before' }, { requestId });
    await server.stop();
    await deleteQueue();
    network.cut({ stayDown: true });
    await expect.poll(() => broker.state().ready).toBe(false);
    network.restore();
    await expect.poll(() => broker.state().ready).toBe(true);
    const call = service.call('recovery.echo', { text: 'early' }, { requestId });
    // Looked for in vain, in each of its places, time after time.
    await expect.poll(() => seen.batches.length).toBeGreaterThan(2 * MAX_GENERATIONS);
    await rig.serve(doing(async () => {}));
    expect(await call).toEqual({ text: 'early' });
  });

  test('sends a long operation again that was lost with a queue which the broker had again before the service was back', async () => {
    const server = await rig.serve(doing(async () => {}));
    const { service, broker } = await rig.client({ url: network.url });
    await service.call('recovery.prompt', { text: 'before' }, { requestId });
    await server.stop();
    await deleteQueue('long');
    network.cut({ stayDown: true });
    await expect.poll(() => broker.state().ready).toBe(false);
    await onQueue('long', (channel, queue) => channel.assertQueue(queue));
    network.restore();
    await expect.poll(() => broker.state().ready).toBe(true);
    const call = service.call('recovery.prompt', { text: 'early' }, { requestId, deadlineMs: 20_000 });
    const waiting = () => onQueue('long', async (channel, queue) => (await channel.checkQueue(queue)).messageCount);
    await expect.poll(waiting).toBeGreaterThan(0);
    await deleteQueue('long');
    await rig.serve(doing(async () => {}));
    expect(await call).toEqual({ text: 'early' });
  });

  test('answers DEADLINE_EXCEEDED to a call that was sent and whose connection does not come back in time', async () => {
    const began = new Gate();
    await rig.serve(
      doing(async () => {
        began.open();
        await new Promise(() => {});
      }),
    );
    const { service } = await rig.client({ url: network.url });
    const call = service.call('recovery.echo', { text: 'sent' }, { requestId, deadlineMs: 1_500 });
    await began.passed;
    network.cut({ stayDown: true });
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

describe('a server whose connections break', () => {
  test('answers what it had begun, over the next', async () => {
    const began = new Gate();
    const gate = new Gate();
    await rig.serve(
      doing(async () => {
        began.open();
        await gate.passed;
      }),
      { url: network.url },
    );
    const { service } = await rig.client();
    const call = service.call('recovery.echo', { text: 'begun' }, { requestId });
    await began.passed;
    network.cut();
    gate.open();
    expect(await call).toEqual({ text: 'begun' });
  });

  test('answers again what was lost with the connection for answers, though it is acknowledged over the other', async () => {
    const { broker, seen } = await rig.serve(
      doing(async () => {}),
      { url: network.url },
    );
    const { service } = await rig.client();
    const isSent = network.silence('an answer');
    const call = service.call('recovery.echo', { text: 'an answer' }, { requestId });
    await isSent;
    const { connection } = broker.publishing.model as unknown as { readonly connection: { readonly stream: Socket } };
    connection.stream.destroy(new Error('It broke.'));
    expect(await call).toEqual({ text: 'an answer' });
    expect(seen.handledCalls).toHaveLength(1);
  });

  test('serves again, time after time', async () => {
    const server = await rig.serve(
      doing(async () => {}),
      { url: network.url },
    );
    const { service } = await rig.client();
    for (const text of ['1', '2', '3']) {
      network.cut();
      expect(await service.call('recovery.echo', { text }, { requestId })).toEqual({ text });
      await expect.poll(() => server.broker.state()).toEqual({ ready: true, publishing: 'open', consuming: 'open' });
    }
  });
});

describe('a channel that dies while its connection lives', () => {
  test('is set up again on the same connection', async () => {
    const { broker } = await rig.client();
    let setups = 0;
    let losses = 0;
    const channel = new RecoveringChannel(broker.publishing, {
      name: 'test',
      setup: async () => void setups++,
      lost: () => losses++,
    });
    await channel.ready;
    const first = channel.current;
    // The broker closes a channel for this (404), and only the channel.
    first?.publish('there is no such exchange', '', Buffer.alloc(0));
    await expect.poll(() => setups).toBe(2);
    await expect.poll(() => channel.current).toBeTruthy();
    expect(channel.current).not.toBe(first);
    expect({ losses, status: broker.publishing.status }).toEqual({ losses: 1, status: 'open' });
    await channel.close();
  });

  test('is set up again when a set-up fails', async () => {
    const { broker, seen } = await rig.client();
    let setups = 0;
    const channel = new RecoveringChannel(broker.publishing, {
      name: 'test',
      setup: async (fresh) => {
        setups++;
        if (setups === 1) await fresh.checkQueue('there is no such queue');
        if (setups === 2) throw new Error('not yet');
      },
    });
    await channel.ready;
    expect(setups).toBe(3);
    // The second came too soon after the first to be said.
    expect(seen.lines.filter(({ message }) => message === 'The channel could not be set up')).toHaveLength(1);
    await channel.close();
  });
});

/** AMQP 0-9-1: `connection.open-ok` (10, 41), the end of the handshake. */
const OPEN_OK = Buffer.from([0, 10, 0, 41]);
/** A frame with `connection.close` (10, 50), code 320, CONNECTION_FORCED, and no words: from a broker that is shut down, or by hand. */
const FORCED_CLOSE = Buffer.from([1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 1, 64, 0, 0, 0, 0, 0, 0xce]);

/** Another way to the broker, on which the first connection is closed along with the end of its handshake. */
async function closedAtOnce(): Promise<string> {
  const url = new URL(rabbitmqUrl);
  let isFirst = true;
  const server = createServer((near) => {
    const far = connectSocket(Number(url.port || 5672), url.hostname);
    near.pipe(far);
    far.on('data', (chunk) => {
      const isClosed = isFirst && chunk.includes(OPEN_OK);
      if (isClosed) isFirst = false;
      near.write(isClosed ? Buffer.concat([chunk, FORCED_CLOSE]) : chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const)
      socket.on('error', () => {}).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: `${(server.address() as AddressInfo).port}` }).href;
}

test('a connection that the broker closes in the moment in which it is open is followed by the next', async () => {
  await rig.serve(doing(async () => {}));
  const { service } = await rig.client({ url: await closedAtOnce() });
  expect(await service.call('recovery.echo', { text: 'open' }, { requestId })).toEqual({ text: 'open' });
});

test('a queue of which the broker says nothing, as RabbitMQ 4 while its node is down, is left for the next by its service and by clients', async () => {
  const { requests, dead } = laneQueues('recovery', 'normal', 1);
  // What is sent there waits for that node.
  await deleteQueue();
  await onQueue('normal', (channel) => channel.assertQueue(requests));
  for (const queue of [requests, dead]) network.leaveUnanswered(queue);
  await rig.serve(
    doing(async () => {}),
    { url: network.url },
  );
  const { service } = await rig.client({ url: network.url });
  expect(await service.call('recovery.echo', { text: 'elsewhere' }, { requestId })).toEqual({ text: 'elsewhere' });
  // Of the dead letters, on that node as well, where calls are taken, and not with every attempt at the first queue.
  const said = rig.lines.filter(({ message }) => message.startsWith('The node with the dead letters is down'));
  const lanes = said.map(({ fields }) => fields.of);
  expect(lanes).toContain(laneQueues('recovery', 'normal', 2).requests);
  expect(lanes).not.toContain(requests);
});

test('a broker that takes longer for each queue than one on a lost node is waited for is given ever more time', async () => {
  network.answerLate(3_000);
  await rig.serve(
    doing(async () => {}),
    { url: network.url },
  );
  network.answerLate(0);
  const { service } = await rig.client({ url: network.url });
  expect(await service.call('recovery.echo', { text: 'slow' }, { requestId })).toEqual({ text: 'slow' });
}, 60_000);

describe('a process that starts before its broker', () => {
  test('waits, says so, and carries on once it is there', async () => {
    network.cut({ stayDown: true });
    const connecting = rig.client({ url: network.url });
    const serving = rig.serve(
      doing(async () => {}),
      { url: network.url },
    );
    // Neither has anything to answer with yet.
    let settled = false;
    void Promise.allSettled([connecting, serving]).then(() => (settled = true));
    await expect.poll(() => rig.lines.filter(({ message }) => message === 'Waiting for the broker').length).toBe(2);
    expect(settled).toBe(false);
    network.restore();
    const { service } = await connecting;
    await serving;
    expect(await service.call('recovery.echo', { text: 'at last' }, { requestId })).toEqual({ text: 'at last' });
  });

  test('can be stopped while it waits', async () => {
    network.cut({ stayDown: true });
    const stop = new AbortController();
    const connecting = rig.client({ url: network.url, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(connecting).rejects.toThrow('enough');
  });
});
