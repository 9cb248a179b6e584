import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { virtualHost } from '../../test/support/servers.ts';
import { CHUNK_BYTES, WINDOW_CHUNKS } from './streams/streams.ts';
import { failure } from './testing/failure.ts';
import { TestProxy } from './testing/proxy.ts';
import { Gate, RpcRig, testCaller } from './testing/rig.ts';
import type { RpcHandlers } from './types.ts';

const Range = z.strictObject({ start: z.int().default(0), end: z.int().optional() });
const put = operation({
  name: 'files.put',
  summary: 'Stores a file.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({ name: z.string() }),
  output: z.object({ name: z.string(), size: z.int(), sha256: z.string() }),
  errors: ['CONFLICT'],
  bytes: 'up',
});
const get = operation({
  name: 'files.get',
  summary: 'Reads a file.',
  permissions: 'internal',
  effect: 'read',
  input: Range,
  output: z.object({ size: z.int() }),
  errors: ['NOT_FOUND'],
  bytes: 'down',
});
const ping = operation({
  name: 'files.ping',
  summary: 'Answers.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({}),
  errors: [],
});
const contract = serviceContract('files', [put, get, ping]);
type Contract = typeof contract;

const content = randomBytes(5_000_000);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}

const handlers: RpcHandlers<Contract> = {
  'files.put': {
    upload: async ({ name }, bytes) => {
      const stored = await buffer(bytes);
      return { output: { name, size: stored.length, sha256: sha256(stored) }, replayed: false };
    },
  },
  'files.get': {
    download: async ({ start, end }) => {
      const part = content.subarray(start, end);
      return { output: { size: part.length }, bytes: pieces(part, 100_000) };
    },
  },
  'files.ping': { one: async () => ({ output: {}, replayed: false }) },
};
/** Opens the gate when the iteration over a download's bytes has ended. */
function leaving(left: Gate): RpcHandlers<Contract> {
  async function* bytes() {
    try {
      yield* pieces(content, CHUNK_BYTES);
    } finally {
      left.open();
    }
  }
  return {
    ...handlers,
    'files.get': { download: async () => ({ output: { size: content.length }, bytes: bytes() }) },
  };
}
const writing = { requestId: 'r', idempotencyKey: 'k', caller: testCaller };
const reading = { requestId: 'r' };

let rig: RpcRig<Contract>;
beforeEach(async () => {
  rig = new RpcRig(await virtualHost(), contract);
});
afterEach(() => rig.stop());

/** Not `once`: a stream that is left early closes with an AbortError. */
async function closed(stream: Readable): Promise<void> {
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
}

describe('an upload', () => {
  test('brings every byte, in order, whatever the sizes of the pieces', async () => {
    await rig.serve(handlers);
    const { service, seen } = await rig.client();
    const sizes = [content.length, 1_000_000, 65_537, 4_321];
    const uploads = sizes.map((size) =>
      service.upload('files.put', { name: `${size}` }, pieces(content, size), writing),
    );
    const expected = sizes.map((size) => ({
      output: { name: `${size}`, size: content.length, sha256: sha256(content) },
      replayed: false,
    }));
    expect(await Promise.all(uploads)).toEqual(expected);
    expect(seen.calls).toEqual(Array.from(sizes, () => ({ operation: 'files.put', outcome: 'ok' })));
  });

  test('of nothing is an empty one', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const { output } = await service.upload('files.put', { name: 'empty' }, Readable.from([]), writing);
    expect(output.size).toBe(0);
  });

  test('is never more than a window ahead of its handler', async () => {
    const gate = new Gate();
    await rig.serve({
      ...handlers,
      'files.put': {
        upload: async ({ name }, bytes) => {
          await gate.passed;
          const stored = await buffer(bytes);
          return { output: { name, size: stored.length, sha256: sha256(stored) }, replayed: false };
        },
      },
    });
    const { service } = await rig.client();
    let asked = 0;
    const full = new Gate();
    async function* source() {
      for await (const piece of pieces(content, CHUNK_BYTES)) {
        if (++asked > WINDOW_CHUNKS) full.open();
        yield piece;
      }
    }
    const upload = service.upload('files.put', { name: 'slow' }, source(), writing);
    await full.passed;
    // Time in which it could send the rest, if nothing held it back: calls are answered all the while.
    for (let turn = 0; turn < 20; turn++) await service.call('files.ping', {}, reading);
    expect(asked).toBe(WINDOW_CHUNKS + 1);
    gate.open();
    expect((await upload).output.sha256).toBe(sha256(content));
  });

  test('that its handler answers early is read no further', async () => {
    await rig.serve({
      ...handlers,
      'files.put': { upload: async ({ name }) => ({ output: { name, size: 0, sha256: '' }, replayed: true }) },
    });
    const { service } = await rig.client();
    const source = Readable.from(pieces(content, CHUNK_BYTES));
    const { replayed } = await service.upload('files.put', { name: 'known' }, source, writing);
    expect(replayed).toBe(true);
    await closed(source);
    expect(source.readableEnded).toBe(false);
  });

  test('that its handler refuses midway fails with that error, and is read no further', async () => {
    await rig.serve({
      ...handlers,
      'files.put': {
        upload: async (_input, bytes, { fail }) => {
          for await (const _chunk of bytes) throw fail('CONFLICT', 'No more of this.');
          throw new Error('there were no bytes');
        },
      },
    });
    const { service } = await rig.client();
    const source = Readable.from(pieces(content, CHUNK_BYTES));
    expect(await failure(service.upload('files.put', { name: 'x' }, source, writing))).toMatchObject({
      code: 'CONFLICT',
    });
    await closed(source);
  });

  test('whose source breaks throws from the iteration in its handler, and tells the caller why', async () => {
    const outcome = Promise.withResolvers<unknown>();
    await rig.serve({
      ...handlers,
      'files.put': {
        upload: async (_input, bytes) => {
          await buffer(bytes).then(outcome.resolve, outcome.resolve);
          throw new Error('never stored');
        },
      },
    });
    const { service } = await rig.client();
    async function* broken() {
      yield content.subarray(0, 10);
      throw new Error('disk on fire');
    }
    const error = await failure(service.upload('files.put', { name: 'x' }, broken(), writing));
    expect(error.cause).toMatchObject({ message: 'disk on fire' });
    expect(await outcome.promise).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test.each([
    [{ name: 7 } as never, writing, 'VALIDATION_FAILED'],
    [{ name: 'x' }, { ...writing, caller: { ...testCaller, permissions: [] } }, 'PERMISSION_DENIED'],
    [{ name: 'x' }, { ...writing, idempotencyKey: undefined }, 'INTERNAL'],
  ])('that is not allowed is refused before a byte is read: %j', async (input, options, code) => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    let read = 0;
    async function* source() {
      read++;
      yield content;
    }
    expect(await failure(service.upload('files.put', input, source(), options))).toMatchObject({ code });
    expect(read).toBe(0);
  });
});

describe('a download', () => {
  test('brings the output first and then every byte, in order', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const { output, bytes } = await service.download('files.get', {}, reading);
    expect(output).toEqual({ size: content.length });
    expect(sha256(await buffer(bytes))).toBe(sha256(content));
  });

  test('may be partial, or empty', async () => {
    await rig.serve(handlers);
    const { service } = await rig.client();
    const part = await service.download('files.get', { start: 10, end: 100_010 }, reading);
    expect((await buffer(part.bytes)).equals(content.subarray(10, 100_010))).toBe(true);
    const nothing = await service.download('files.get', { start: 7, end: 7 }, reading);
    expect(await buffer(nothing.bytes)).toHaveLength(0);
  });

  test('is never more than a window ahead of its reader, and twenty at once do not disturb each other', async () => {
    let ahead = 0;
    await rig.serve({
      ...handlers,
      'files.get': {
        download: async () => ({
          output: { size: content.length },
          bytes: (async function* () {
            for await (const piece of pieces(content, CHUNK_BYTES)) {
              ahead++;
              yield piece;
            }
          })(),
        }),
      },
    });
    const { service } = await rig.client();
    const { bytes } = await service.download('files.get', {}, reading);
    const others = await Promise.all(Array.from({ length: 20 }, () => service.download('files.get', {}, reading)));
    // Only the first is read: of each of the others, no more than a window leaves the server.
    expect(sha256(await buffer(bytes))).toBe(sha256(content));
    expect(ahead).toBeLessThanOrEqual(Math.ceil(content.length / CHUNK_BYTES) + 20 * (WINDOW_CHUNKS + 1));
    const rest = await Promise.all(others.map(async (other) => sha256(await buffer(other.bytes))));
    expect(new Set(rest)).toEqual(new Set([sha256(content)]));
  });

  test('that fails before its first byte rejects', async () => {
    await rig.serve({
      ...handlers,
      'files.get': { download: (_input, { fail }) => Promise.reject(fail('NOT_FOUND', 'No such file.')) },
    });
    const { service } = await rig.client();
    expect(await failure(service.download('files.get', {}, reading))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that fails midway breaks the stream, and never ends it normally', async () => {
    const server = await rig.serve({
      ...handlers,
      'files.get': {
        download: async () => ({
          output: { size: content.length },
          bytes: (async function* () {
            yield content.subarray(0, 1_000);
            throw new Error('hunter2');
          })(),
        }),
      },
    });
    const { service } = await rig.client();
    const { bytes } = await service.download('files.get', {}, reading);
    const error = await failure(buffer(bytes));
    expect(error).toMatchObject({ code: 'INTERNAL' });
    expect(error.message).not.toContain('hunter2');
    expect(String(server.seen.errors()[0]?.fields.error)).toContain('hunter2');
  });

  test.each([
    ['midway', async (bytes: Readable) => void (await once(bytes, 'readable'))],
    ['unread', async () => {}],
  ])('that its reader abandons %s ends the iteration at the server', async (_when, read) => {
    const left = new Gate();
    await rig.serve(leaving(left));
    const { service } = await rig.client();
    const { bytes } = await service.download('files.get', {}, reading);
    await read(bytes);
    bytes.destroy();
    await left.passed;
  });
});

describe('bytes that are held up on their way', () => {
  test.each(['to the service', 'from the service'])('%s hold up no call', async (direction) => {
    const marked = Buffer.concat([Buffer.from('these bytes stay behind'), content]);
    const proxy = await TestProxy.to(await virtualHost());
    const [near, far] = direction === 'to the service' ? [{ url: proxy.url }, {}] : [{}, { url: proxy.url }];
    await rig.serve(
      {
        ...handlers,
        'files.get': {
          download: async () => ({ output: { size: marked.length }, bytes: pieces(marked, CHUNK_BYTES) }),
        },
      },
      far,
    );
    const { service } = await rig.client(near);
    const stuck = proxy.silence('these bytes stay behind');
    const transfer =
      direction === 'to the service'
        ? service.upload('files.put', { name: 'x' }, pieces(marked, CHUNK_BYTES), writing)
        : service.download('files.get', {}, reading).then(async ({ bytes }) => ({ output: await digestOf(bytes) }));
    const arrive = await stuck;
    expect(await service.call('files.ping', {}, reading)).toEqual({});
    void arrive();
    expect((await transfer).output).toMatchObject({ sha256: sha256(marked) });
    await rig.stop();
    await proxy.close();
  });

  test('their connection is opened on first use, and a process is ready meanwhile', async () => {
    const { broker } = await rig.client();
    const { streaming } = broker;
    expect([streaming.status, broker.problem(), broker.state().ready]).toEqual(['connecting', undefined, true]);
    await streaming.opened;
  });

  async function digestOf(bytes: Readable) {
    return { sha256: sha256(await buffer(bytes)) };
  }
});

describe('silence', () => {
  const SILENCE_MS = 600;
  /** Half a window takes it several times as long as it is allowed to be silent. */
  async function readSlowly(bytes: AsyncIterator<Buffer>, chunks: number): Promise<Buffer[]> {
    const taken: Buffer[] = [];
    while (taken.length < chunks) {
      taken.push((await bytes.next()).value);
      await delay(0.4 * SILENCE_MS);
    }
    return taken;
  }

  test('of an upload’s source ends it on both sides', async () => {
    const outcome = Promise.withResolvers<unknown>();
    await rig.serve({
      ...handlers,
      'files.put': {
        upload: async (_input, bytes) => {
          await buffer(bytes).then(outcome.resolve, outcome.resolve);
          throw new Error('never stored');
        },
      },
    });
    const { service } = await rig.client();
    async function* stuck() {
      yield content.subarray(0, 10);
      await new Promise(() => {});
    }
    const options = { ...writing, deadlineMs: 100 };
    expect(await failure(service.upload('files.put', { name: 'x' }, stuck(), options))).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    expect(await outcome.promise).toBeInstanceOf(OperationError);
  });

  test('of a handler ends the caller’s wait', async () => {
    const gate = new Gate();
    const hang = () => gate.passed.then(() => ({ output: { name: '', size: 0, sha256: '' }, replayed: false }));
    await rig.serve({ ...handlers, 'files.put': { upload: hang } });
    const { service } = await rig.client();
    const options = { ...writing, deadlineMs: 100 };
    const upload = service.upload('files.put', { name: 'x' }, pieces(content, CHUNK_BYTES), options);
    expect(await failure(upload)).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    gate.open();
  });

  test('of a download’s reader ends the iteration at the server, and the reader is told', async () => {
    const left = new Gate();
    await rig.serve(leaving(left));
    const { service } = await rig.client();
    // It bounds how long the server may take to begin, too.
    const { bytes } = await service.download('files.get', {}, { ...reading, deadlineMs: SILENCE_MS });
    await left.passed;
    expect(await failure(buffer(bytes))).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  test('does not include a slow reader of a download: it gets every byte', async () => {
    await rig.serve(leaving(new Gate()));
    const { service } = await rig.client();
    const { bytes } = await service.download('files.get', {}, { ...reading, deadlineMs: SILENCE_MS });
    const iterator: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
    const first = await readSlowly(iterator, WINDOW_CHUNKS);
    const rest = await buffer({ [Symbol.asyncIterator]: () => iterator });
    expect(sha256(Buffer.concat([...first, rest]))).toBe(sha256(content));
  });

  test('of a reader that was merely slow until then ends the iteration at the server too', async () => {
    const left = new Gate();
    await rig.serve(leaving(left));
    const { service } = await rig.client();
    const { bytes } = await service.download('files.get', {}, { ...reading, deadlineMs: SILENCE_MS });
    await readSlowly(bytes[Symbol.asyncIterator](), 4);
    await left.passed;
    expect(await failure(buffer(bytes))).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

describe('a process that disappears', () => {
  test('with a client ends the iteration in the handler too', async () => {
    const outcome = Promise.withResolvers<unknown>();
    const arrived = new Gate();
    await rig.serve({
      ...handlers,
      'files.put': {
        upload: async (_input, bytes) => {
          try {
            for await (const _chunk of bytes) arrived.open();
          } catch (error) {
            outcome.resolve(error);
          }
          throw new Error('never stored');
        },
      },
    });
    const client = await rig.client();
    async function* endless() {
      for (;;) yield content.subarray(0, CHUNK_BYTES);
    }
    const upload = failure(
      client.service.upload('files.put', { name: 'x' }, endless(), { ...writing, deadlineMs: 500 }),
    );
    await arrived.passed;
    await client.broker.close();
    expect(await upload).toMatchObject({ code: 'UNAVAILABLE' });
    // Its end is not announced; its silence is noticed.
    expect(await outcome.promise).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  test('with a server ends the transfer, and stopping waits for those in progress', async () => {
    const server = await rig.serve(handlers);
    const client = await rig.client();
    const { bytes } = await client.service.download('files.get', {}, reading);
    const stopping = server.stop();
    expect(sha256(await buffer(bytes))).toBe(sha256(content));
    await stopping;
    expect(await failure(client.service.download('files.get', {}, { ...reading, deadlineMs: 400 }))).toBeInstanceOf(
      OperationError,
    );
  });

  test('before it was ever there is UNAVAILABLE at once', async () => {
    const absent = serviceContract('nofiles', [{ ...get, name: 'nofiles.get' }]);
    const { service } = await new RpcRig(await virtualHost(), absent, rig).client();
    expect(await failure(service.download('nofiles.get', {}, { ...reading, deadlineMs: 3_600_000 }))).toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
