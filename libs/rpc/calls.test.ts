import { setImmediate as nextTick } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { virtualHost } from '../../test/support/servers.ts';
import { echoAfter } from './testing/echo.ts';
import { failure } from './testing/failure.ts';
import { Gate, RpcRig, testCaller } from './testing/rig.ts';
import type { CallContext, RpcHandlers } from './types.ts';

const read = {
  summary: 'Answers.',
  effect: 'read',
  input: z.strictObject({ text: z.string().default('nothing'), limit: z.int().max(100).optional() }),
  output: z.object({ text: z.string() }),
} as const;
const contract = serviceContract('calls', [
  operation({ ...read, name: 'calls.echo', permissions: 'internal', errors: [] }),
  operation({ ...read, name: 'calls.hold', permissions: 'internal', errors: [] }),
  operation({ ...read, name: 'calls.fail', permissions: 'internal', errors: ['NOT_FOUND', 'CONFLICT'] }),
  operation({ ...read, name: 'calls.read', permissions: ['work-items:read'], errors: [] }),
  operation({ ...read, name: 'calls.admin', permissions: ['users:write'], errors: [] }),
  operation({ ...read, name: 'calls.mine', permissions: [], errors: [] }),
  operation({ ...read, name: 'calls.write', effect: 'create', permissions: 'internal', errors: [] }),
  operation({ ...read, name: 'calls.many', permissions: 'internal', errors: ['CONFLICT'] }),
  operation({ ...read, name: 'calls.prompt', permissions: 'internal', errors: [], lane: 'long' }),
]);
type Contract = typeof contract;

const echo = async ({ text }: { text: string }) => ({ output: { text }, replayed: false });
const handlers: RpcHandlers<Contract> = {
  'calls.echo': { one: echo },
  'calls.hold': { one: echo },
  'calls.fail': { one: echo },
  'calls.read': { one: echo },
  'calls.admin': { one: echo },
  'calls.mine': { one: echo },
  'calls.write': { one: echo },
  'calls.many': { many: async (calls) => calls.map(({ input }) => ({ output: { text: input.text } })) },
  'calls.prompt': { one: echo },
};
const requestId = 'request-1';

let rig: RpcRig<Contract>;
beforeEach(async () => {
  rig = new RpcRig(await virtualHost(), contract);
});
afterEach(() => rig.stop());

describe('an answer', () => {
  test('is what the handler returned for the parsed input', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    expect(await service.call('calls.echo', { text: 'Grüße 🎈' }, { requestId })).toEqual({ text: 'Grüße 🎈' });
    expect(await service.call('calls.echo', {}, { requestId })).toEqual({ text: 'nothing' });
  });

  test('says that it is a replay if the caller asks', async () => {
    await rig.serve({ ...handlers, 'calls.read': { one: async () => ({ output: { text: 'old' }, replayed: true }) } });
    const { service } = await rig.client();
    const options = { requestId, caller: testCaller };
    expect(await service.exchange('calls.read', {}, options)).toEqual({ output: { text: 'old' }, replayed: true });
    expect(await service.exchange('calls.echo', { text: 'new' }, options)).toEqual({
      output: { text: 'new' },
      replayed: false,
    });
  });

  test('may be large', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const text = 'x'.repeat(1_000_000);
    const answers = await Promise.all(
      ['1', '2', '3'].map((n) => service.call('calls.echo', { text: text + n }, { requestId })),
    );
    expect(answers.map((answer) => answer.text === text + answer.text.at(-1))).toEqual([true, true, true]);
  });
});

describe('a handler', () => {
  test('knows the caller, ids, trace and what is left of the deadline', async () => {
    const contexts: CallContext[] = [];
    await rig.serve({
      ...handlers,
      'calls.write': {
        one: async (input, context) => {
          contexts.push(context);
          return await echo(input);
        },
      },
    });
    const { service } = await rig.client();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const askedAtMs = Date.now();
    await service.call(
      'calls.write',
      {},
      { requestId, idempotencyKey: 'k', caller: testCaller, trace: { traceparent }, deadlineMs: 4_000 },
    );
    const [context] = contexts;
    expect(context).toMatchObject({ caller: testCaller, requestId, idempotencyKey: 'k', traceparent });
    expect(context?.deadlineAtMs).toBeGreaterThan(askedAtMs);
    expect(context?.deadlineAtMs).toBeLessThanOrEqual(Date.now() + 4_000);
  });

  test('knows its own caller among those whose calls came in one message', async () => {
    const callers: unknown[] = [];
    await rig.serve({
      ...handlers,
      'calls.echo': {
        one: async (input, { caller }) => {
          callers.push(caller);
          return await echo(input);
        },
      },
    });
    const { service, seen } = await rig.client();
    const wanted = [testCaller, { ...testCaller, keyId: 'another' }, undefined, testCaller];
    await Promise.all(wanted.map((caller) => service.call('calls.echo', {}, { requestId, caller })));
    expect(seen.batches).toEqual([{ side: 'request', items: wanted.length }]);
    expect(callers).toEqual(wanted.map((caller) => caller ?? null));
  });

  test('has a logger that carries the request id, even when its context is spread', async () => {
    const server = await rig.serve({
      ...handlers,
      'calls.echo': {
        one: async (input, context) => {
          ({ ...context }).log.info({}, 'Working');
          return await echo(input);
        },
      },
    });
    const { service } = await rig.client();
    await service.call('calls.echo', {}, { requestId: 'request-7' });
    const line = server.seen.lines.find(({ message }) => message === 'Working');
    expect(line?.fields).toMatchObject({ requestId: 'request-7', operation: 'calls.echo' });
  });

  test('that takes many gets the calls of one message together, in order, and each gets its own answer', async () => {
    const sizes: number[] = [];
    await rig.serve({
      ...handlers,
      'calls.many': {
        many: async (calls) => {
          sizes.push(calls.length);
          return calls.map(({ input }) =>
            input.text === '2'
              ? { error: { code: 'CONFLICT', message: 'Two.' } }
              : { output: input, replayed: input.text === '3' },
          );
        },
      },
    });
    const { service } = await rig.client();
    const calls = ['1', '2', '3'].map((text) => service.exchange('calls.many', { text }, { requestId }));
    const [one, two, three] = await Promise.allSettled(calls);
    expect(sizes).toEqual([3]);
    expect(one).toMatchObject({ value: { output: { text: '1' }, replayed: false } });
    expect(two).toMatchObject({ reason: { code: 'CONFLICT', message: 'Two.' } });
    expect(three).toMatchObject({ value: { output: { text: '3' }, replayed: true } });
  });

  test('that takes many and answers too few fails all of them', async () => {
    const server = await rig.serve({ ...handlers, 'calls.many': { many: async () => [] } });
    const { service } = await rig.client();
    expect(await failure(service.call('calls.many', {}, { requestId }))).toMatchObject({ code: 'INTERNAL' });
    expect(server.seen.errors()).toHaveLength(1);
  });
});

describe('a failure', () => {
  test('that the operation declares reaches the caller in full', async () => {
    const extra = {
      details: [{ path: 'version', message: 'is stale' }],
      current: { version: 3 },
      retryAfterSeconds: 5,
    };
    await rig.serve({
      ...handlers,
      'calls.fail': { one: (_input, { fail }) => Promise.reject(fail('CONFLICT', 'Read it again.', extra)) },
    });
    const { service } = await rig.client();
    const error = await failure(service.call('calls.fail', {}, { requestId }));
    expect(error.toValue()).toEqual({ code: 'CONFLICT', message: 'Read it again.', ...extra });
  });

  test.each<[string, () => Promise<never>]>([
    ['that is not an error of the contract', () => Promise.reject(new Error('password=hunter2'))],
    ['that the operation does not declare', () => Promise.reject(new OperationError('RATE_LIMITED', 'hunter2'))],
    [
      'that is thrown before there is a promise',
      () => {
        throw new TypeError('hunter2');
      },
    ],
    ['that is not even an error', () => Promise.reject('hunter2')],
  ])('%s is INTERNAL, with its cause only in the log', async (_title, one) => {
    const server = await rig.serve({ ...handlers, 'calls.fail': { one } });
    const { service } = await rig.client();
    const error = await failure(service.call('calls.fail', {}, { requestId: 'request-9' }));
    expect(error.code).toBe('INTERNAL');
    expect(JSON.stringify(error.toValue())).not.toContain('hunter2');
    const [line] = server.seen.errors();
    expect(line?.fields).toMatchObject({ requestId: 'request-9', operation: 'calls.fail' });
    expect(String(line?.fields.error)).toContain('hunter2');
  });

  test('to serialize an output as JSON is INTERNAL', async () => {
    const circular: { text: string; self?: unknown } = { text: '' };
    circular.self = circular;
    await rig.serve({ ...handlers, 'calls.echo': { one: async () => ({ output: circular, replayed: false }) } });
    const { service } = await rig.client();
    expect(await failure(service.call('calls.echo', {}, { requestId }))).toMatchObject({ code: 'INTERNAL' });
  });

  test('of the input names every field by its path', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const wrong = { text: 7, limit: 101, colour: 'red' } as never;
    const error = await failure(service.call('calls.echo', wrong, { requestId }));
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.extra.details?.map(({ path }) => path).sort()).toEqual(['colour', 'limit', 'text']);
  });
});

describe('the service checks the permission itself', () => {
  test.each([
    ['calls.read', testCaller, 'ok'],
    ['calls.mine', testCaller, 'ok'],
    ['calls.admin', testCaller, 'PERMISSION_DENIED'],
    ['calls.read', { ...testCaller, permissions: [] }, 'PERMISSION_DENIED'],
    ['calls.mine', undefined, 'PERMISSION_DENIED'],
    ['calls.read', undefined, 'PERMISSION_DENIED'],
    ['calls.echo', undefined, 'ok'],
  ] as const)('%s', async (name, caller, outcome) => {
    let runs = 0;
    const counted = { one: async () => ({ output: { text: String(++runs) }, replayed: false }) };
    await rig.serve({
      ...handlers,
      'calls.read': counted,
      'calls.mine': counted,
      'calls.admin': counted,
      'calls.echo': counted,
    });
    const { service, seen } = await rig.client();
    const call = service.call(name, {}, { requestId, caller });
    if (outcome === 'ok') expect(await call).toEqual({ text: '1' });
    else expect(await failure(call)).toMatchObject({ code: outcome });
    expect(runs).toBe(outcome === 'ok' ? 1 : 0);
    expect(seen.calls).toEqual([{ operation: name, outcome }]);
  });

  test('and names it', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const error = await failure(service.call('calls.admin', {}, { requestId, caller: testCaller }));
    expect(error.message).toContain('users:write');
  });
});

describe('calls of one tick', () => {
  test('travel as one message, and so do their replies', async () => {
    const server = await rig.serve(handlers);
    const client = await rig.client();
    await Promise.all(Array.from({ length: 10 }, () => client.service.call('calls.echo', {}, { requestId })));
    expect(client.seen.batches).toEqual([{ side: 'request', items: 10 }]);
    expect(server.seen.batches).toEqual([{ side: 'reply', items: 10 }]);
  });

  test('travel in messages of at most 64', async () => {
    const server = await rig.serve(handlers);
    const client = await rig.client();
    await Promise.all(Array.from({ length: 150 }, () => client.service.call('calls.echo', {}, { requestId })));
    expect(client.seen.batches.map(({ items }) => items)).toEqual([64, 64, 22]);
    const replies = server.seen.batches.map(({ items }) => items);
    expect(replies.reduce((sum, items) => sum + items)).toBe(150);
    expect(Math.max(...replies)).toBeLessThanOrEqual(64);
  });

  test('travel in messages of at most 64 KiB, unless one alone is larger', async () => {
    await rig.serve(handlers);
    const client = await rig.client();
    const texts = [30_000, 30_000, 30_000, 100_000, 10].map((length) => 'x'.repeat(length));
    await Promise.all(texts.map((text) => client.service.call('calls.echo', { text }, { requestId })));
    expect(client.seen.batches.map(({ items }) => items)).toEqual([2, 1, 1, 1]);
  });

  test('do not wait for a slow one among them', async () => {
    const gate = new Gate();
    await rig.serve({
      ...handlers,
      'calls.hold': echoAfter(() => gate.passed),
      'calls.fail': { one: () => Promise.reject(new Error('broken')) },
    });
    const { service, seen } = await rig.client();
    const held = service.call('calls.hold', { text: 'held' }, { requestId });
    const failing = failure(service.call('calls.fail', {}, { requestId }));
    const quick = service.call('calls.echo', { text: 'quick' }, { requestId });
    expect(await quick).toEqual({ text: 'quick' });
    expect(await failing).toMatchObject({ code: 'INTERNAL' });
    expect(seen.batches).toEqual([{ side: 'request', items: 3 }]);
    gate.open();
    expect(await held).toEqual({ text: 'held' });
  });
});

describe('a deadline', () => {
  test('ends the wait with DEADLINE_EXCEEDED, and a handler that hangs does not keep its message', async () => {
    const server = await rig.serve({ ...handlers, 'calls.hold': { one: () => new Promise(() => {}) } });
    const { service } = await rig.client();
    expect(await failure(service.call('calls.hold', {}, { requestId, deadlineMs: 60 }))).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      message: expect.stringMatching(/Idempotency-Key/),
    });
    // Stopping waits for open messages.
    await server.stop();
    expect(server.seen.handledCalls).toEqual([{ operation: 'calls.hold', outcome: 'DEADLINE_EXCEEDED' }]);
  });

  test('that has passed already fails at once', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    expect(await failure(service.call('calls.echo', {}, { requestId, deadlineMs: 0 }))).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('that passes in the queue keeps the call from being run', async () => {
    const gate = new Gate();
    const ran: string[] = [];
    const server = await rig.serve(
      {
        ...handlers,
        'calls.hold': {
          one: async (input) => {
            await gate.passed;
            return await echo(input);
          },
        },
        'calls.echo': {
          one: async (input) => {
            ran.push(input.text);
            return await echo(input);
          },
        },
      },
      { prefetch: 1 },
    );
    const { service } = await rig.client();
    // The first message teaches the server the client's clock, and may itself be late, by less than the deadline below; the second
    // fills the prefetch window.
    await service.call('calls.echo', { text: 'first' }, { requestId });
    const held = service.call('calls.hold', {}, { requestId });
    await nextTick();
    const expired = failure(service.call('calls.echo', { text: 'short' }, { requestId, deadlineMs: 500 }));
    const patient = service.call('calls.echo', { text: 'long' }, { requestId });
    expect(await expired).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    gate.open();
    await Promise.all([held, patient]);
    expect(ran).toEqual(['first', 'long']);
    expect(server.seen.handledCalls).toContainEqual({ operation: 'calls.echo', outcome: 'DEADLINE_EXCEEDED' });
  });
});

describe('a service that is not running', () => {
  test('is UNAVAILABLE at once, with a time to retry', async () => {
    const absent = serviceContract('absent', [
      operation({ ...read, name: 'absent.read', permissions: 'internal', errors: [] }),
    ]);
    const { service } = await new RpcRig(await virtualHost(), absent, rig).client();
    const error = await failure(service.call('absent.read', {}, { requestId, deadlineMs: 3_600_000 }));
    expect(error).toMatchObject({ code: 'UNAVAILABLE', extra: { retryAfterSeconds: 1 } });
    expect(error.message).toContain('absent is not running');
  });

  test('is told apart from one that is slow', async () => {
    const gate = new Gate();
    await rig.serve({
      ...handlers,
      'calls.hold': echoAfter(() => gate.passed),
    });
    const { service, seen } = await rig.client();
    const held = service.call('calls.hold', { text: 'slow' }, { requestId });
    // Long enough for the client to ask whether the queue still exists, which it sees as an empty message.
    await expect.poll(() => seen.batches.filter(({ items }) => items === 0).length).toBeGreaterThan(1);
    gate.open();
    expect(await held).toEqual({ text: 'slow' });
  });

  test('is noticed by calls that were sent before it went for good', async () => {
    const arrived = new Gate();
    const hang = async () => {
      arrived.open();
      return await new Promise<never>(() => {});
    };
    const server = await rig.serve({ ...handlers, 'calls.hold': { one: hang } });
    const { service } = await rig.client();
    const lost = failure(service.call('calls.hold', {}, { requestId, deadlineMs: 3_600_000 }));
    await arrived.passed;
    await server.die();
    expect(await lost).toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a call is refused before it is sent', () => {
  test('when it writes and has no idempotency key', async () => {
    const { service } = await rig.client();
    expect(await failure(service.call('calls.write', {}, { requestId }))).toMatchObject({ code: 'INTERNAL' });
  });

  test('when too many are pending, and no longer when some have been answered', async () => {
    const gate = new Gate();
    const { seen } = await rig.serve({
      ...handlers,
      'calls.hold': echoAfter(() => gate.passed),
    });
    const { service } = await rig.client({ maxPending: 3 });
    const held = [1, 2, 3].map(() => service.call('calls.hold', {}, { requestId }));
    expect(await failure(service.call('calls.echo', {}, { requestId }))).toMatchObject({
      code: 'UNAVAILABLE',
      extra: { retryAfterSeconds: 1 },
    });
    await expect.poll(() => seen.workingCalls).toBe(3);
    gate.open();
    await Promise.all(held);
    expect(seen.workingCalls).toBe(0);
    expect(await service.call('calls.echo', {}, { requestId })).toEqual({ text: 'nothing' });
  });

  test('when its input is larger than a message may be', async () => {
    const { service } = await rig.client();
    const text = 'x'.repeat(9_000_000);
    expect(await failure(service.call('calls.echo', { text }, { requestId }))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });
});

describe('a long operation', () => {
  test('does not hold up the others, and they do not hold it up', async () => {
    const gate = new Gate();
    const hold = {
      one: async (input: { text: string }) => {
        await gate.passed;
        return await echo(input);
      },
    };
    await rig.serve({ ...handlers, 'calls.prompt': hold, 'calls.hold': hold }, { prefetch: 1 });
    const { service } = await rig.client();
    const long = service.call('calls.prompt', { text: 'long' }, { requestId });
    expect(await service.call('calls.echo', { text: 'short' }, { requestId })).toEqual({ text: 'short' });
    gate.open();
    expect(await long).toEqual({ text: 'long' });
  });
});
