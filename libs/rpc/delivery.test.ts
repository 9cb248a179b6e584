import { createSecretKey, randomBytes } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import { type Channel, type ChannelModel, connect, type GetMessage } from 'amqplib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { virtualHost } from '../../test/support/servers.ts';
import { callText, encodeRequests } from './message/envelope.ts';
import { encodeFrame } from './message/frame.ts';
import { hmacSigner, type RequestSigner, SIGNATURE_BYTES } from './message/signature.ts';
import { laneQueues, RESTART_GRACE_MS } from './queues.ts';
import { echoAfter, echoContract, echoOperation } from './testing/echo.ts';
import { Gate, RpcRig } from './testing/rig.ts';
import type { RpcHandlers } from './types.ts';

const echo = echoOperation('delivery');
const prompt = operation({ ...echo, name: 'delivery.prompt', lane: 'long' });
const write = operation({ ...echo, name: 'delivery.write', effect: 'create' });
const upload = operation({ ...echo, name: 'delivery.upload', effect: 'create', bytes: 'up' });
const contract = serviceContract('delivery', [echo, prompt, write, upload]);
type Contract = typeof contract;
type Echo = (text: string) => Promise<unknown>;

const queues = laneQueues('delivery', 'normal', 1);
const requestId = 'r';

/** Handlers that run this before they answer. */
const doing = (work: Echo): RpcHandlers<Contract> => ({
  'delivery.echo': echoAfter(work),
  'delivery.prompt': echoAfter(work),
  'delivery.write': echoAfter(work),
  'delivery.upload': { upload: async ({ text }) => ({ output: { text }, replayed: false }) },
});
const nothing = doing(async () => {});

let raw: ChannelModel;
let channel: Channel;
let rig: RpcRig<Contract>;
beforeAll(async () => {
  raw = await connect(await virtualHost());
});
afterAll(() => raw.close());
beforeEach(async () => {
  rig = new RpcRig(await virtualHost(), contract);
  channel = await raw.createChannel();
});
afterEach(async () => {
  await rig.stop();
  // Each test begins without the queues of the one before, which outlive it.
  for (const queue of Object.values(queues)) await channel.deleteQueue(queue);
  await channel.close();
});

async function deadLetter(): Promise<GetMessage> {
  let message: GetMessage | false = false;
  await expect
    .poll(async () => {
      message = await channel.get(queues.dead, { noAck: true });
      return message;
    })
    .toBeTruthy();
  return message as unknown as GetMessage;
}

const request = (signer: RequestSigner, ...texts: string[]) =>
  encodeRequests(
    signer,
    'raw',
    0,
    texts.map((text, id) => ({
      id,
      remainingMs: 60_000,
      attempt: 1,
      call: callText(null, undefined, 'delivery.echo', requestId, null, null, { text }),
    })),
  );
/** As a holder of the key would send it, if it were something other than a request. */
const signedText = (signer: RequestSigner, text: string) => {
  const content = Buffer.concat([Buffer.from([2]), Buffer.alloc(SIGNATURE_BYTES), Buffer.from(text)]);
  content.set(signer.sign(content.subarray(1 + SIGNATURE_BYTES)), 1);
  return content;
};
const signedItem = (signer: RequestSigner, item: string, caller = 'null') =>
  signedText(signer, `{"c":"raw","t":0,"p":[${caller}],"i":[${item}]}`);
const keyOf = () => hmacSigner([createSecretKey(randomBytes(32))]);

const good = 'amq.rabbitmq.reply-to.g1h2AA5yZXBseUAxMjM0NTY3OAAAC.abcdefgh==';

/** What becomes of a message: it is with the dead letters unchanged, is counted, and none of it has run. */
async function isDeadLettered(content: Buffer, replyTo: string | undefined, reason: string): Promise<void> {
  const ran: string[] = [];
  const server = await rig.serve(doing(async (text) => ran.push(text)));
  channel.publish('', queues.requests, content, { replyTo });
  const dead = await deadLetter();
  expect(dead.content.equals(content)).toBe(true);
  expect(dead.properties.headers?.['x-first-death-reason']).toBe('rejected');
  expect(server.seen.deadLetters).toEqual([{ queue: queues.dead, reason }]);
  expect(ran).toEqual([]);
  // And the service carries on.
  const { service } = await rig.client();
  expect(await service.call('delivery.echo', { text: 'next' }, { requestId })).toEqual({ text: 'next' });
}

describe('a message that cannot be read goes to the dead letters', () => {
  test.each<[string, (signer: RequestSigner) => Buffer, string | undefined]>([
    ['invalid JSON', (signer) => signedText(signer, '{"c":'), good],
    ['JSON of another kind', (signer) => signedText(signer, '[]'), good],
    ['no JSON', (signer) => signedText(signer, 'hello'), good],
    ['an item without a body', (signer) => signedItem(signer, '[1,1000,1,0]'), good],
    [
      'an item whose caller is missing',
      (signer) => signedItem(signer, '[1,1000,1,1,["delivery.echo","r",null,null,{"text":"x"}]]'),
      good,
    ],
    [
      'a caller whose id is a query operator',
      (signer) =>
        signedItem(
          signer,
          '[1,1000,1,0,["delivery.echo","r",null,null,{"text":"x"}]]',
          '{"organizationId":{"$ne":1},"userId":"u","keyId":"k","permissions":[]}',
        ),
      good,
    ],
    ['no reply address', (signer) => request(signer, 'x'), undefined],
    ['a reply address that is the name of a queue', (signer) => request(signer, 'x'), queues.requests],
    ['a reply address that only begins like one', (signer) => request(signer, 'x'), 'amq.rabbitmq.reply-to.$(x)'],
  ])('%s', (_title, content, replyTo) => isDeadLettered(content(rig.signer), replyTo, 'unreadable'));
});

describe('a message not sent by a holder of the service’s key goes to the dead letters, and none of it runs', () => {
  const withoutSignature = (signer: RequestSigner) => request(signer, 'x').subarray(1 + SIGNATURE_BYTES);
  const changed = (signer: RequestSigner) => {
    const content = request(signer, 'x', 'y');
    content[content.length - 8] = 0x7a;
    return content;
  };
  test.each<[string, string, (signer: RequestSigner) => Buffer]>([
    ['unsigned', 'no frame', () => Buffer.from('hello')],
    ['unsigned', 'an empty one', () => Buffer.alloc(0)],
    ['unsigned', 'a frame of another version', () => Buffer.concat([Buffer.from([3]), Buffer.alloc(100)])],
    ['unsigned', 'one that is cut within its signature', (signer) => request(signer, 'x').subarray(0, 20)],
    ['unsigned', 'a request without a signature', withoutSignature],
    ['unsigned', 'a request as earlier versions sent it', (signer) => encodeFrame(withoutSignature(signer).toString())],
    [
      'wrong-signature',
      'a signature of zeros',
      () => request({ sign: () => Buffer.alloc(SIGNATURE_BYTES), verify: () => true }, 'x'),
    ],
    ['wrong-signature', 'signed with another key', () => request(keyOf(), 'x')],
    ['wrong-signature', 'one byte of it changed', changed],
    ['wrong-signature', 'cut short', (signer) => request(signer, 'x').subarray(0, -1)],
    [
      'wrong-signature',
      'another message under its signature',
      (signer) =>
        Buffer.concat([
          request(signer, 'x').subarray(0, 1 + SIGNATURE_BYTES),
          withoutSignature(signer).subarray(0, -1),
          Buffer.from(' }'),
        ]),
    ],
  ])('%s: %s', (reason, _title, content) => isDeadLettered(content(rig.signer), good, reason));

  test('wrong-signature: a request to another service, put into this one’s queue unchanged', async () => {
    const other = new RpcRig(await virtualHost(), echoContract('elsewhere'), rig);
    await channel.assertQueue(laneQueues('elsewhere', 'normal', 1).requests, { durable: true, expires: 2_000 });
    const { service } = await other.client();
    const call = service.call('elsewhere.echo', { text: 'x' }, { requestId, deadlineMs: 1_000 });
    call.catch(() => {});
    let captured: GetMessage | false = false;
    await expect
      .poll(async () => {
        captured = await channel.get(laneQueues('elsewhere', 'normal', 1).requests, { noAck: true });
        return captured;
      })
      .toBeTruthy();
    await isDeadLettered((captured as unknown as GetMessage).content, good, 'wrong-signature');
    await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  test('the same for byte streams', async () => {
    const { service } = await rig.client({ signer: keyOf() });
    const bytes = (async function* () {
      yield Buffer.from('bytes');
    })();
    const server = await rig.serve(nothing);
    const upload = service.upload('delivery.upload', { text: 'x' }, bytes, {
      requestId,
      idempotencyKey: 'k',
      deadlineMs: 1_000,
    });
    await expect(upload).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(server.seen.deadLetters).toEqual([{ queue: queues.dead, reason: 'wrong-signature' }]);
    expect(server.seen.handledCalls).toEqual([]);
  });
});

test('a key is rotated without a refused call: the old one still verifies while the new one signs', async () => {
  const [older, newer] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
  // First the services learn the new key, then the gateways sign with it, then the services forget the old one.
  const steps = [
    { serves: [older, newer], signs: [older] },
    { serves: [older, newer], signs: [newer, older] },
    { serves: [newer], signs: [newer] },
  ];
  for (const { serves, signs } of steps) {
    const server = await rig.serve(nothing, { signer: hmacSigner(serves) });
    const client = await rig.client({ signer: hmacSigner(signs) });
    expect(await client.service.call('delivery.echo', { text: 'x' }, { requestId })).toEqual({ text: 'x' });
    expect(server.seen.deadLetters).toEqual([]);
    await Promise.all([server.stop(), client.close()]);
  }
});

describe('a message is acknowledged once all of its items are answered', () => {
  test('so if the process dies before that, another gets all of them', async () => {
    const both = new Gate();
    const first: string[] = [];
    const dying = await rig.serve(
      doing((text) => {
        first.push(text);
        if (first.length === 2) both.open();
        // One of them is answered before the process ends, the other never.
        return text === 'quick' ? Promise.resolve() : new Promise(() => {});
      }),
    );
    const { service } = await rig.client();
    const slow = service.call('delivery.echo', { text: 'slow' }, { requestId });
    const quick = service.call('delivery.echo', { text: 'quick' }, { requestId });
    await Promise.all([both.passed, quick]);
    const second: string[] = [];
    await rig.serve(doing(async (text) => second.push(text)));
    await dying.die();
    expect(await slow).toEqual({ text: 'slow' });
    await expect.poll(() => second.toSorted()).toEqual(['quick', 'slow']);
  });

  test('and not before, so that no more than the prefetch window is in flight', async () => {
    const gates = new Map(['1', '2', '3'].map((text) => [text, new Gate()]));
    const started: string[] = [];
    await rig.serve(
      doing(async (text) => {
        started.push(text);
        await gates.get(text)?.passed;
      }),
      { prefetch: 2 },
    );
    const { service } = await rig.client();
    // A client that has just started has no channel yet, and sends everything that is waiting for one together.
    await service.call('delivery.echo', { text: '0' }, { requestId });
    const calls: Promise<unknown>[] = [];
    for (const text of ['1', '2', '3']) {
      calls.push(service.call('delivery.echo', { text }, { requestId }));
      // Each in a message of its own.
      await new Promise(setImmediate);
    }
    await expect
      .poll(async () => ({ started, waiting: (await channel.checkQueue(queues.requests)).messageCount }))
      .toEqual({ started: ['0', '1', '2'], waiting: 1 });
    gates.get('2')?.open();
    await calls[1];
    await expect.poll(() => started).toEqual(['0', '1', '2', '3']);
    for (const gate of gates.values()) gate.open();
    await Promise.all(calls);
  });
});

describe('replicas', () => {
  test('share the messages of one queue', async () => {
    const gate = new Gate();
    const seen: string[][] = [[], []];
    for (const mine of seen) {
      await rig.serve(
        doing((text) => {
          mine.push(text);
          return gate.passed;
        }),
        { prefetch: 1 },
      );
    }
    const { service } = await rig.client();
    const one = service.call('delivery.echo', { text: 'one' }, { requestId });
    await expect.poll(() => seen.flat().length).toBe(1);
    const two = service.call('delivery.echo', { text: 'two' }, { requestId });
    await expect.poll(() => seen.map(({ length }) => length)).toEqual([1, 1]);
    gate.open();
    await Promise.all([one, two]);
  });

  test('take over from one that stops, which answers what it has begun and takes nothing more', async () => {
    const gate = new Gate();
    const began = new Gate();
    const old: string[] = [];
    const stopping = await rig.serve(
      doing(async (text) => {
        old.push(text);
        began.open();
        await gate.passed;
      }),
    );
    const { service } = await rig.client();
    const before = service.call('delivery.echo', { text: 'before' }, { requestId });
    await began.passed;
    const fresh: string[] = [];
    await rig.serve(doing(async (text) => fresh.push(text)));
    const stopped = stopping.stop();
    await expect.poll(async () => (await channel.checkQueue(queues.requests)).consumerCount).toBe(1);
    expect(await service.call('delivery.echo', { text: 'after' }, { requestId })).toEqual({ text: 'after' });
    gate.open();
    expect(await before).toEqual({ text: 'before' });
    await stopped;
    expect({ old, fresh }).toEqual({ old: ['before'], fresh: ['after'] });
  });

  test('that come back within the grace period find what was asked in the meantime', async () => {
    const server = await rig.serve(nothing);
    const { service } = await rig.client();
    await service.call('delivery.echo', { text: 'first' }, { requestId });
    await server.stop();
    const waiting = service.call('delivery.echo', { text: 'waiting' }, { requestId });
    await rig.serve(nothing);
    expect(await waiting).toEqual({ text: 'waiting' });
  });

  test('share long operations one by one, however many are requested at once', async () => {
    const gate = new Gate();
    const counts = [0, 0];
    for (const mine of [0, 1]) {
      await rig.serve(
        doing(() => {
          counts[mine] = (counts[mine] ?? 0) + 1;
          return gate.passed;
        }),
        { prefetch: 2 },
      );
    }
    const { service } = await rig.client();
    const calls = [1, 2, 3, 4].map((n) => service.call('delivery.prompt', { text: `${n}` }, { requestId }));
    await expect.poll(() => counts).toEqual([2, 2]);
    gate.open();
    await Promise.all(calls);
  });
});

describe('an item that crashes the process', () => {
  test('is tried alone, then answered INTERNAL and dead-lettered; its neighbours are answered', async () => {
    const runs: string[] = [];
    const replicas: { die(): Promise<void> }[] = [];
    let aloneWith: string[] = [];
    const startReplica = async () => {
      const under = new Set<string>();
      let dead = false;
      // Its first calls arrive before `serve` resolves.
      const replica = rig.serve(
        doing(async (text) => {
          if (dead) return await new Promise(() => {});
          runs.push(text);
          under.add(text);
          await new Promise(setImmediate);
          if (text === 'poison') {
            dead = true;
            aloneWith = [...under];
            // As when the process ends: nothing in flight is answered, and another takes its place.
            await Promise.all([replica.then(({ die }) => die()), startReplica()]);
            return await new Promise(() => {});
          }
          if (dead) return await new Promise(() => {});
          under.delete(text);
        }),
      );
      replicas.push(await replica);
    };
    await startReplica();
    const client = await rig.client();
    const options = { requestId, idempotencyKey: 'k', deadlineMs: 60_000 };
    const call = (text: string) => client.service.call('delivery.write', { text }, options);
    const [before, poison, after] = await Promise.allSettled([call('before'), call('poison'), call('after')]);
    expect(before).toMatchObject({ value: { text: 'before' } });
    expect(after).toMatchObject({ value: { text: 'after' } });
    expect(poison).toMatchObject({ reason: { code: 'INTERNAL' } });
    expect((poison as PromiseRejectedResult).reason).toBeInstanceOf(OperationError);
    expect(runs.filter((text) => text === 'poison')).toHaveLength(2);
    expect(aloneWith).toEqual(['poison']);
    // Without its secret, which ends the item: nobody who reads it can open what the call has sealed.
    expect((await deadLetter()).content.toString()).toMatch(/"poison"\}\]\]\]\}$/);
    await expect.poll(() => replicas).toHaveLength(3);
  });
});

describe('a consumer that the broker cancels', () => {
  test('comes back with its queue', async () => {
    await rig.serve(nothing);
    const { service } = await rig.client();
    await service.call('delivery.echo', { text: 'first' }, { requestId });
    await channel.deleteQueue(queues.requests);
    await expect
      .poll(() => service.call('delivery.echo', { text: 'again' }, { requestId }).catch(({ code }) => code), {
        timeout: 20_000,
      })
      .toEqual({ text: 'again' });
  });
});

describe('a queue that ends, and is there again before anybody has noticed', () => {
  test('has lost what was sent to it, which is sent again', async () => {
    const before = await rig.serve(nothing);
    const { service } = await rig.client();
    await service.call('delivery.echo', { text: 'before' }, { requestId });
    await before.stop();
    const lost = service.call('delivery.echo', { text: 'lost' }, { requestId, deadlineMs: 10_000 });
    await expect.poll(async () => (await channel.checkQueue(queues.requests)).messageCount).toBe(1);
    // At once, as no process could: the client must not see that it is gone.
    const ended = channel.deleteQueue(queues.requests);
    await channel.assertQueue(queues.requests, {
      ...{ durable: true, expires: RESTART_GRACE_MS, arguments: { 'x-queue-type': 'classic' } },
      ...{ deadLetterExchange: '', deadLetterRoutingKey: queues.dead },
    });
    await ended;
    const runs: string[] = [];
    await rig.serve(doing(async (text) => runs.push(text)));
    expect(await lost).toEqual({ text: 'lost' });
    expect(runs).toEqual(['lost']);
  });
});

describe('a queue that exists with other arguments, as during a rolling update', () => {
  test('is used as it is', async () => {
    await channel.assertQueue(queues.requests, { durable: true, expires: 60_000 });
    const server = await rig.serve(nothing);
    const { service } = await rig.client();
    expect(await service.call('delivery.echo', { text: 'served' }, { requestId })).toEqual({ text: 'served' });
    expect(server.seen.lines.map(({ message }) => message)).toContain(
      'The queue has other arguments; it is used as it is',
    );
  });
});

describe('a queue that nobody consumes', () => {
  test('is no reason to wait for the deadline, even when something keeps it alive', async () => {
    await channel.assertQueue(queues.requests, { durable: true, expires: 600_000 });
    const { service } = await rig.client();
    const call = service.call('delivery.echo', { text: 'anybody?' }, { requestId, deadlineMs: 60_000 });
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
