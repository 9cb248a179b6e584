import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { virtualHost } from '../../test/support/servers.ts';
import { nowMs } from './clock.ts';
import { RESTART_GRACE_MS } from './queues.ts';
import { echoOperation } from './testing/echo.ts';
import { Gate, RpcRig } from './testing/rig.ts';
import type { RpcHandlers, Waiting } from './types.ts';

const take = operation({
  ...echoOperation('waiting'),
  name: 'waiting.take',
  input: z.strictObject({ text: z.string(), waitSeconds: z.int().optional() }),
  waitField: 'waitSeconds',
});
const contract = serviceContract('waiting', [echoOperation('waiting'), take]);
type Contract = typeof contract;

/** A replica that holds calls until its test answers them. */
class Holder {
  readonly held: { readonly text: string; readonly waiting: Waiting | undefined; answer(): void }[] = [];
  #changed = Promise.withResolvers<void>();

  readonly handlers: RpcHandlers<Contract> = {
    'waiting.echo': { one: async ({ text }) => ({ output: { text }, replayed: false }) },
    'waiting.take': {
      one: async ({ text }, { waiting }) => {
        const gate = new Gate();
        this.held.push({ text, waiting, answer: gate.open });
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
        await gate.passed;
        return { output: { text }, replayed: false };
      },
    },
  };

  get texts(): string[] {
    return this.held.map(({ text }) => text);
  }

  async has(count: number): Promise<void> {
    while (this.held.length < count) await this.#changed.promise;
  }

  answerAll(): void {
    for (const { answer } of this.held) answer();
  }
}

let rig: RpcRig<Contract>;
beforeEach(async () => {
  rig = new RpcRig(await virtualHost(), contract);
});
afterEach(() => rig.stop());

async function replica() {
  const holder = new Holder();
  return { holder, ...(await rig.serve(holder.handlers)) };
}
const requestId = 'r';
const TEXTS = ['1', '2', '3', '4', '5'];

describe('calls that wait', () => {
  test('are all at one replica, and move on to the next in order, however often one is lost', async () => {
    const replicas = [await replica(), await replica(), await replica()] as const;
    const { service } = await rig.client();
    const answers = TEXTS.map((text) => service.call('waiting.take', { text, waitSeconds: 30 }, { requestId }));
    await replicas[0].holder.has(5);
    expect(replicas[0].seen.workingCalls).toBe(0);
    await replicas[0].die();
    await replicas[1].holder.has(5);
    expect(replicas[1].holder.texts).toEqual(TEXTS);
    await replicas[1].die();
    await replicas[2].holder.has(5);
    expect(replicas[2].holder.texts).toEqual(TEXTS);
    expect(replicas[0].holder.held.every(({ waiting }) => waiting?.gone.aborted)).toBe(true);
    replicas[2].holder.answerAll();
    expect(await Promise.all(answers)).toEqual(TEXTS.map((text) => ({ text })));
    expect(replicas[2].seen.deadLetters).toEqual([]);
  });

  test('go to the next replica at once when theirs is stopped', async () => {
    const first = await replica();
    const second = await replica();
    const { service } = await rig.client();
    const answer = service.call('waiting.take', { text: 'a', waitSeconds: 30 }, { requestId });
    await first.holder.has(1);
    await first.stop();
    await second.holder.has(1);
    second.holder.answerAll();
    expect(await answer).toEqual({ text: 'a' });
  });

  test('are found by the only replica again, also if it takes longer to restart than a queue of other calls lasts', async () => {
    const first = await replica();
    const { service } = await rig.client();
    const answer = service.call('waiting.take', { text: 'a', waitSeconds: 30 }, { requestId });
    await first.holder.has(1);
    await first.die();
    await sleep(2 * RESTART_GRACE_MS);
    const second = await replica();
    // Rejected, or answered by nobody, if the call was lost.
    await Promise.race([second.holder.has(1), answer]);
    second.holder.answerAll();
    expect(await answer).toEqual({ text: 'a' });
  });

  test('with no time to wait are calls like any other', async () => {
    const { holder } = await replica();
    const { service } = await rig.client();
    const answer = service.call('waiting.take', { text: 'a', waitSeconds: 0 }, { requestId });
    await holder.has(1);
    expect(holder.held[0]?.waiting).toBeUndefined();
    holder.answerAll();
    await answer;
  });

  test('are answered when their time is up, even by a replica that took them over and never heard from their client', async () => {
    const first = await replica();
    const second = await replica();
    const { service } = await rig.client();
    const startedAtMs = nowMs();
    const answer = service.call('waiting.take', { text: 'a', waitSeconds: 3 }, { requestId });
    await first.holder.has(1);
    const half = Promise.withResolvers<void>();
    setTimeout(half.resolve, 1_500);
    await half.promise;
    await first.die();
    await second.holder.has(1);
    const { waiting } = second.holder.held[0] as { waiting: Waiting };
    await new Promise((resolve) => waiting.timeUp.addEventListener('abort', resolve, { once: true }));
    const waitedMs = nowMs() - startedAtMs;
    expect(waitedMs).toBeGreaterThan(2_900);
    expect(waitedMs).toBeLessThan(3_900);
    second.holder.answerAll();
    expect(await answer).toEqual({ text: 'a' });
  });

  test('end when their client ends them, and are then at no replica any more', async () => {
    const first = await replica();
    const second = await replica();
    const { service } = await rig.client();
    const leaves = new AbortController();
    const left = service.call('waiting.take', { text: 'left', waitSeconds: 30 }, { requestId, signal: leaves.signal });
    const stays = service.call('waiting.take', { text: 'stays', waitSeconds: 30 }, { requestId });
    await first.holder.has(2);
    const { waiting } = first.holder.held[0] as { waiting: Waiting };
    const gone = new Promise((resolve) => waiting.gone.addEventListener('abort', resolve, { once: true }));
    leaves.abort();
    await expect(left).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await gone;
    await first.stop();
    const wanted = () => second.holder.held.filter(({ waiting }) => !waiting?.gone.aborted).map(({ text }) => text);
    await expect.poll(wanted).toEqual(['stays']);
    second.holder.answerAll();
    await stays;
  });

  test('report whether the process that called is still there', async () => {
    const { holder } = await replica();
    const [dies, lives] = [await rig.client(), await rig.client()];
    const lost = dies.service.call('waiting.take', { text: 'lost', waitSeconds: 30 }, { requestId });
    lost.catch(() => {});
    await holder.has(1);
    const kept = lives.service.call('waiting.take', { text: 'kept', waitSeconds: 30 }, { requestId });
    await holder.has(2);
    const [first, second] = holder.held.map(({ waiting }) => waiting as Waiting);
    expect([await first?.isCallerThere(), await second?.isCallerThere()]).toEqual([true, true]);
    // The connection alone, without a word about the calls on it.
    await dies.broker.close();
    await expect.poll(() => first?.isCallerThere()).toBe(false);
    expect(await second?.isCallerThere()).toBe(true);
    holder.answerAll();
    await kept;
  });

  test('are not among the calls in flight of their client', async () => {
    const { holder } = await replica();
    const { service } = await rig.client({ maxPending: 2 });
    const waiting = TEXTS.map((text) => service.call('waiting.take', { text, waitSeconds: 30 }, { requestId }));
    await holder.has(5);
    expect(await service.call('waiting.echo', { text: 'now' }, { requestId })).toEqual({ text: 'now' });
    holder.answerAll();
    await Promise.all(waiting);
  });

  test('of a client that stops end at once', async () => {
    const { holder } = await replica();
    const client = await rig.client();
    const answer = client.service.call('waiting.take', { text: 'a', waitSeconds: 30 }, { requestId });
    const refused = answer.catch((error) => error);
    await holder.has(1);
    await client.close();
    expect(await refused).toBeInstanceOf(OperationError);
  });

  test('for a service that is not running are told so at once', async () => {
    const { service } = await rig.client();
    const answer = service.call('waiting.take', { text: 'a', waitSeconds: 30 }, { requestId });
    await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
