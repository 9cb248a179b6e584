import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Progress } from '../../stack/report/progress.ts';
import { type Servers, startServers } from '../../stack/servers/start.ts';
import { echoAfter, echoContract } from './testing/echo.ts';
import { Gate, RpcRig, type TestClient } from './testing/rig.ts';
import type { RpcHandlers } from './types.ts';

const contract = echoContract('broker');
type Contract = typeof contract;

/** Handlers that run this before they answer. */
const doing = (work: (text: string) => Promise<unknown>): RpcHandlers<Contract> => ({
  'broker.echo': echoAfter(work),
});
const nothing = doing(async () => {});

// A broker of its own: it is killed, frozen and blocked.
let folder: string;
let own: Servers;
let rig: RpcRig<Contract>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'worktrack-broker-'));
  const given = { redis: 'redis://not.used', mongodb: 'mongodb://not.used' };
  own = await startServers({ dataDir: folder, progress: new Progress(process.stderr), given });
});
afterAll(async () => {
  await own.discard();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  rig = new RpcRig(own.urls.rabbitmq, contract);
});
afterEach(() => rig.stop());

async function setLimits(limits: Record<string, number>): Promise<void> {
  // RabbitMQ 4 keeps what it asks for each message apart.
  const calls = Object.entries(limits).map(
    ([name, value]) => `application:set_env(rabbit, ${name}, ${value}), persistent_term:put(${name}, ${value})`,
  );
  await own.rabbitmqctl(['eval', `${calls.join(', ')}.`]);
}

const call = (client: TestClient<Contract>, text: string, deadlineMs = 60_000) =>
  client.service.call('broker.echo', { text }, { requestId: 'r', deadlineMs });

describe('a broker that is killed and restarted', () => {
  test('has lost the calls in flight, and all of them are answered', async () => {
    const began = new Gate();
    const gate = new Gate();
    await rig.serve(
      doing((text) => {
        if (text === 'begun') began.open();
        return gate.passed;
      }),
      { prefetch: 1 },
    );
    const client = await rig.client();
    const calls = [call(client, 'begun')];
    await began.passed;
    // These wait in the queue, which keeps nothing on disk.
    calls.push(...Array.from({ length: 100 }, (_, index) => call(client, `waiting ${index}`)));
    await new Promise(setImmediate);
    await own.rabbitmq.part?.kill();
    await expect.poll(() => client.broker.state().ready).toBe(false);
    gate.open();
    await own.rabbitmq.part?.restart();
    const answers = await Promise.all(calls);
    expect(answers.map(({ text }) => text)).toEqual([
      'begun',
      ...Array.from({ length: 100 }, (_, i) => `waiting ${i}`),
    ]);
  });
});

describe('a broker that blocks publishing', () => {
  test('makes calls UNAVAILABLE at once, and is not ready; once it accepts messages again, all works', async () => {
    await rig.serve(nothing);
    const client = await rig.client();
    await call(client, 'before');
    let waiting: Promise<unknown> | undefined;
    await own.rabbitmqctl(['set_vm_memory_high_watermark', '0.00001']);
    try {
      // The broker tells the next publisher. What was sent until then waits.
      waiting = call(client, 'waiting');
      await expect.poll(() => client.broker.state()).toEqual({ ready: false, publishing: 'blocked' });
      expect(client.broker.problem()).toContain('takes no messages');
      await expect(call(client, 'shed')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        extra: { retryAfterSeconds: 1 },
      });
    } finally {
      await own.rabbitmqctl(['set_vm_memory_high_watermark', '0.8']);
    }
    expect(await waiting).toEqual({ text: 'waiting' });
    await expect.poll(() => client.broker.state().ready).toBe(true);
    expect(await call(client, 'after')).toEqual({ text: 'after' });
  });
});

describe('a broker that is frozen', () => {
  test('lets the calls in flight end by their deadline, and is noticed by its silence', async () => {
    await rig.serve(nothing, { heartbeatSeconds: 1 });
    const client = await rig.client({ heartbeatSeconds: 1 });
    await call(client, 'before');
    await own.rabbitmq.part?.kill('SIGSTOP');
    try {
      await expect(call(client, 'during', 500)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      await expect.poll(() => client.broker.state().publishing).toBe('connecting');
    } finally {
      await own.rabbitmq.part?.kill('SIGCONT');
    }
    await expect.poll(() => client.broker.state().ready).toBe(true);
    expect(await call(client, 'after')).toEqual({ text: 'after' });
  });

  test('buffers no more than the write buffer: calls are shed at once, not held in memory', async () => {
    await rig.serve(nothing);
    const client = await rig.client({ maxPending: 1_000_000 });
    await call(client, 'before');
    await own.rabbitmq.part?.kill('SIGSTOP');
    try {
      const text = 'x'.repeat(60_000);
      let refused: unknown;
      await expect
        .poll(
          () => {
            for (let i = 0; i < 50; i++) call(client, text, 5_000).catch((error) => (refused ??= error));
            return (refused as { code?: string } | undefined)?.code;
          },
          { timeout: 20_000 },
        )
        .toBe('UNAVAILABLE');
    } finally {
      await own.rabbitmq.part?.kill('SIGCONT');
    }
    await expect.poll(() => call(client, 'after').catch(({ code }) => code)).toEqual({ text: 'after' });
  });
});

describe('a broker that closes a channel', () => {
  test('for a consumer that takes too long (406) gets its message handled again', async () => {
    await setLimits({ consumer_timeout: 2_000, channel_tick_interval: 200 });
    let runs = 0;
    const gate = new Gate();
    const server = await rig.serve(
      doing(async (text) => {
        // A call of an earlier test may still have been on its way into the queue.
        if (text !== 'slow') return;
        runs++;
        if (runs === 1) await gate.passed;
      }),
    );
    // A channel uses the timeout that applies when it is opened: the next one has its time, however busy the machine is.
    await setLimits({ consumer_timeout: 1_800_000 });
    const client = await rig.client();
    expect(await call(client, 'slow', 60_000)).toEqual({ text: 'slow' });
    await setLimits({ channel_tick_interval: 60_000 });
    expect(runs).toBe(2);
    expect(server.broker.state()).toEqual({ ready: true, publishing: 'open', consuming: 'open' });
    gate.open();
  });

  test('for a message above its limit (406) gets its calls sent again', async () => {
    await rig.serve(nothing);
    // A channel uses the limit that applies when it is opened.
    await setLimits({ max_message_size: 1_000 });
    const client = await rig.client();
    const large = call(client, 'x'.repeat(2_000));
    await expect.poll(() => client.seen.lines.map(({ message }) => message)).toContain('The channel failed');
    await setLimits({ max_message_size: 134_217_728 });
    expect(await large).toEqual({ text: 'x'.repeat(2_000) });
  });
});
