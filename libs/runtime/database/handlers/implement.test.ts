import { randomBytes } from 'node:crypto';
import { type ImplicitError, OperationError } from '@worktrack/contracts/errors';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import type { CallContext } from '@worktrack/rpc/types';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { servers } from '../../../../test/support/servers.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { Stale } from '../writes/stale.ts';
import type { WriteSet } from '../writes/write-set.ts';
import { EffectModel } from './effects.model.ts';
import { AlreadyDone } from './effects.repository.ts';
import { grouped, receiving, write } from './handler-kinds.ts';
import { implement } from './implement.ts';

const CounterModel = mongoose.model(
  'Counter',
  new mongoose.Schema({ _id: String, count: Number }, { collection: 'counters', versionKey: false }),
);

const counting = {
  summary: 'Counts.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({ by: z.int() }),
  output: z.object({ count: z.int(), secret: z.string().nullable() }),
  errors: ['CONFLICT'],
} as const;
const contract = serviceContract('sample', [
  operation({ ...counting, name: 'counter.add' }),
  operation({ ...counting, name: 'counter.addAgain' }),
  operation({ ...counting, name: 'counter.addAndFail' }),
  operation({ ...counting, name: 'counter.addWithSecret' }),
  operation({ ...counting, name: 'counter.addRestorable' }),
  operation({ ...counting, name: 'counter.addSlowly' }),
  operation({ ...counting, name: 'counter.addAndAnnounce' }),
  operation({ ...counting, name: 'counter.addTogether' }),
  operation({ ...counting, name: 'counter.shareTogether' }),
  operation({ ...counting, name: 'counter.addTwiceTogether' }),
  operation({ ...counting, name: 'counter.take' }),
  operation({ ...counting, name: 'counter.refuseFromMemory' }),
  operation({ ...counting, name: 'counter.addBytes', bytes: 'up' }),
  operation({ ...counting, name: 'counter.read', permissions: ['work-items:read'], effect: 'read' }),
]);

async function add(by: number, tx: mongoose.mongo.ClientSession) {
  const counter = await CounterModel.findByIdAndUpdate(
    'one',
    { $inc: { count: by } },
    { session: tx, upsert: true, returnDocument: 'after' },
  ).lean();
  return { count: counter?.count ?? 0, secret: null };
}

/** What a rule reads is what its write relies on. */
async function addTogether(by: number, writes: WriteSet) {
  const counter = await CounterModel.findById('one').lean();
  const before = counter?.count ?? 0;
  const count = before + by;
  if (counter) writes.update(CounterModel, { _id: 'one', count: before }, { set: { count } });
  else writes.insert(CounterModel, { _id: 'one', count }, () => new Stale());
  return { count, secret: null };
}

let slowWork = 0;
let discarded = 0;
let announcements: number[] = [];
let announcementFails = false;
/** How often a read meets a change between its queries. */
let changesMet = 0;
let outcomes: string[] = [];
const handlers = implement(contract, {
  'counter.add': ({ by }, { tx }) => add(by, tx),
  'counter.addAgain': ({ by }, { tx }) => add(by, tx),
  'counter.addAndFail': async ({ by }, context) => {
    await add(by, context.tx);
    throw context.fail('CONFLICT', 'Half of it was done.');
  },
  'counter.addWithSecret': write(async ({ by }, { tx }) => ({ ...(await add(by, tx)), secret: 'shown once' }), {
    record: (answer) => ({ ...answer, secret: null }),
  }),
  'counter.addRestorable': write(async ({ by }, { tx }) => ({ ...(await add(by, tx)), secret: 'as it was' }), {
    record: (answer) => ({ ...answer, secret: null }),
    restore: async (recorded) => ({ ...recorded, secret: 'as it is now' }),
  }),
  'counter.addSlowly': write(
    async ({ by }, context) => {
      slowWork++;
      return await context.commit(({ tx }) => add(by, tx));
    },
    { staged: true },
  ),
  'counter.addAndAnnounce': write(({ by }, { tx }) => add(by, tx), {
    announce: async (_, answer) => {
      announcements.push(answer.count);
      if (announcementFails) throw new OperationError('UNAVAILABLE', 'Nobody heard it.');
    },
  }),
  'counter.addTogether': grouped(({ by }, { writes }) => addTogether(by, writes)),
  'counter.shareTogether': grouped(async ({ by }, { writes }) => {
    const counter = { of: CounterModel, filter: { _id: 'one' }, counter: 'transactions' };
    writes.rely(counter, 'shared', { inc: { count: by } });
    return { count: 0, secret: null };
  }),
  'counter.addTwiceTogether': grouped(async ({ by }, context) => {
    const { count } = await addTogether(by, context.writes);
    if (count > by) throw context.fail('CONFLICT', 'It was counted before.');
    return { count, secret: null };
  }),
  'counter.take': grouped(async (_, { writes }) => {
    writes.insert(CounterModel, { _id: 'taken', count: 1 });
    return { count: 1, secret: null };
  }),
  'counter.refuseFromMemory': grouped(async (_, { writes, fail }) => {
    writes.afterwards((outcome) => outcomes.push(outcome));
    writes.tookFromMemory(async () => {
      throw new Error('The database is away.');
    });
    throw fail('CONFLICT', 'As far as is remembered.');
  }),
  'counter.read': async () => {
    if (changesMet-- > 0) throw new Stale('Two queries saw different moments.');
    return { count: await count(), secret: null };
  },
  'counter.addBytes': receiving(async ({ by }, bytes, context) => {
    const chunks: Buffer[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    try {
      return await context.commit(Buffer.concat(chunks).toString('hex'), ({ tx }) => add(by, tx));
    } catch (error) {
      if (error instanceof AlreadyDone) discarded++;
      throw error;
    }
  }),
});

type Name = Exclude<keyof typeof handlers, 'counter.addBytes'>;

function contextOf(
  idempotencyKey: string,
  organizationId = 'an organization',
  callSecret?: string,
): CallContext<'CONFLICT' | ImplicitError> {
  return {
    caller: { organizationId, userId: 'a user', keyId: 'a key', permissions: [] },
    requestId: 'a request',
    idempotencyKey,
    callSecret,
    deadlineAtMs: Date.now() + 30_000,
    traceparent: undefined,
    log: createLog('test', 'silent'),
    fail: (code, message, extra) => new OperationError(code, message, extra),
  };
}

async function call(name: Name, by: number, key: string, organizationId?: string, callSecret?: string) {
  const handler = handlers[name];
  if (!('one' in handler)) throw new Error(`${name} takes its calls one by one.`);
  return await handler.one({ by }, contextOf(key, organizationId, callSecret));
}
/** As the client of the service names a call. */
const newCall = () => randomBytes(32).toString('base64url');

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const count = async () => (await CounterModel.findById('one').lean())?.count ?? 0;
const codeOf = (error: unknown) => (error instanceof OperationError ? error.code : error);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_implement`, log: createLog('test', 'silent') });
});
afterAll(() => disconnectDatabase());
beforeEach(() => CounterModel.deleteMany({}));

describe('a write', () => {
  test('takes effect once for 50 concurrent callers with one key, and answers all of them the same', async () => {
    const key = uuidv7();
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('counter.add', 1, key)));
    expect(replies.map((reply) => reply.output.count)).toEqual(Array(50).fill(1));
    expect(replies.filter((reply) => !reply.replayed)).toHaveLength(1);
    expect(await count()).toBe(1);
  });

  test('has its effect for each of 50 concurrent callers with keys of their own', async () => {
    await Promise.all(Array.from({ length: 50 }, () => call('counter.add', 1, uuidv7())));
    expect(await count()).toBe(50);
  });

  test('is refused when its key was used with a different input', async () => {
    const key = uuidv7();
    await call('counter.add', 1, key);
    await expect(call('counter.add', 2, key).catch(codeOf)).resolves.toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await count()).toBe(1);
  });

  test('is refused when its key was used for a different operation', async () => {
    const key = uuidv7();
    await call('counter.add', 1, key);
    await expect(call('counter.addAgain', 1, key).catch(codeOf)).resolves.toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await count()).toBe(1);
  });

  test('does not clash with the key of another organization', async () => {
    const key = uuidv7();
    await call('counter.add', 1, key, 'one');
    await call('counter.add', 1, key, 'another');
    expect(await count()).toBe(2);
  });

  test('that fails leaves nothing behind, and its key unused', async () => {
    const key = uuidv7();
    await expect(call('counter.addAndFail', 1, key).catch(codeOf)).resolves.toBe('CONFLICT');
    expect(await count()).toBe(0);
    await call('counter.add', 1, key);
    expect(await count()).toBe(1);
  });

  test('does not store a secret that it showed once', async () => {
    const key = uuidv7();
    expect((await call('counter.addWithSecret', 1, key)).output.secret).toBe('shown once');
    expect(await call('counter.addWithSecret', 1, key)).toEqual({ output: { count: 1, secret: null }, replayed: true });
  });

  test('shows its secret again to the very call whose answer was lost, as not replayed, and to no other with its key', async () => {
    const [key, mine] = [uuidv7(), newCall()];
    const again = (secret?: string) => call('counter.addWithSecret', 1, key, undefined, secret);
    const shown = { output: { count: 1, secret: 'shown once' }, replayed: false };
    expect(await again(mine)).toEqual(shown);
    expect(await again(mine)).toEqual(shown);
    for (const other of [newCall(), undefined]) {
      expect(await again(other)).toEqual({ output: { count: 1, secret: null }, replayed: true });
    }
    expect(await again(mine)).toEqual(shown);
    const stored = JSON.stringify(await EffectModel.find().lean());
    expect(stored).not.toContain('shown once');
    expect(stored).not.toContain(mine);
  });

  test('is not replayed for its own call, however it commits', async () => {
    for (const name of ['counter.add', 'counter.addSlowly', 'counter.addTogether'] as const) {
      const [key, mine] = [uuidv7(), newCall()];
      const { output } = await call(name, 1, key, undefined, mine);
      expect(await call(name, 1, key, undefined, mine)).toEqual({ output, replayed: false });
      expect(await call(name, 1, key, undefined, newCall())).toEqual({ output, replayed: true });
    }
  });

  test('whose record lacks what may be erased restores that for its own call, too', async () => {
    const [key, mine] = [uuidv7(), newCall()];
    const shown = { count: 1, secret: 'as it is now' };
    await call('counter.addRestorable', 1, key, undefined, mine);
    expect(await call('counter.addRestorable', 1, key, undefined, mine)).toEqual({ output: shown, replayed: false });
    expect(await call('counter.addRestorable', 1, key)).toEqual({ output: shown, replayed: true });
    expect(await EffectModel.findOne({ operation: 'counter.addRestorable' }).lean()).not.toHaveProperty('sealed');
  });

  test('with slow work does not repeat that work when it is repeated', async () => {
    const key = uuidv7();
    await call('counter.addSlowly', 1, key);
    const before = slowWork;
    expect((await call('counter.addSlowly', 1, key)).replayed).toBe(true);
    expect(slowWork).toBe(before);
    expect(await count()).toBe(1);
  });
});

test('a read whose queries saw different moments is run again, but not for ever', async () => {
  changesMet = 3;
  expect((await call('counter.read', 1, 'read')).output).toEqual({ count: 0, secret: null });
  changesMet = 1_000;
  await expect(call('counter.read', 1, 'read')).rejects.toThrow(Stale);
});

describe('writes that are committed together', () => {
  test('each take effect, though all 50 rely on what the others change', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('counter.addTogether', 1, uuidv7())));
    expect(replies.map(({ output }) => output.count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    expect(await count()).toBe(50);
  });

  test('take effect once for 50 concurrent callers with one key', async () => {
    const key = uuidv7();
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('counter.addTogether', 1, key)));
    expect(replies.map(({ output }) => output.count)).toEqual(Array(50).fill(1));
    expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('are a single update of what they share', async () => {
    await CounterModel.collection.insertOne({ _id: 'one' as never, count: 0, transactions: 0 });
    await Promise.all(Array.from({ length: 50 }, () => call('counter.shareTogether', 1, uuidv7())));
    const counter = await CounterModel.collection.findOne({ _id: 'one' as never });
    expect(counter?.count).toBe(50);
    expect(counter?.transactions).toBeLessThan(10);
  });

  test('answer a repeated call as they did the first time, though its rule would refuse it now', async () => {
    const key = uuidv7();
    await call('counter.addTwiceTogether', 1, key);
    expect(await call('counter.addTwiceTogether', 1, key)).toMatchObject({ output: { count: 1 }, replayed: true });
    await expect(call('counter.addTwiceTogether', 1, uuidv7()).catch(codeOf)).resolves.toBe('CONFLICT');
    expect(await count()).toBe(1);
  });

  test('do not fail because the database refuses one among them', async () => {
    await CounterModel.create({ _id: 'taken', count: 0 });
    const calls = [
      call('counter.take', 1, uuidv7()),
      ...Array.from({ length: 20 }, () => call('counter.addTogether', 1, uuidv7())),
    ];
    const [taking, ...others] = await Promise.allSettled(calls);
    expect(taking).toMatchObject({ status: 'rejected', reason: { code: 11_000 } });
    expect(others.map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'));
    expect(await count()).toBe(20);
  });
});

test('whoever waits for the outcome of a write hears of it, though nobody can find out whether its refusal was out of date', async () => {
  outcomes = [];
  await expect(call('counter.refuseFromMemory', 1, uuidv7())).rejects.toThrow('The database is away.');
  expect(outcomes).toEqual(['unknown']);
});

describe('a write that receives bytes', () => {
  const upload = (text: string, key: string) =>
    handlers['counter.addBytes'].upload({ by: 1 }, bytesOf(text), contextOf(key));

  test('answers the same bytes as the first time, and lets the second copy be discarded', async () => {
    const key = uuidv7();
    await upload('some bytes', key);
    expect((await upload('some bytes', key)).replayed).toBe(true);
    expect(discarded).toBe(1);
    expect(await count()).toBe(1);
  });

  test('is refused when its key was used with different bytes', async () => {
    const key = uuidv7();
    await upload('some bytes', key);
    await expect(upload('other bytes', key).catch(codeOf)).resolves.toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('a write that is announced', () => {
  beforeEach(() => {
    announcements = [];
    announcementFails = false;
  });

  test('is answered once its announcement is through, and announced again for everybody who repeats it', async () => {
    const key = uuidv7();
    announcementFails = true;
    await expect(call('counter.addAndAnnounce', 1, key).catch(codeOf)).resolves.toBe('UNAVAILABLE');
    await expect(call('counter.addAndAnnounce', 1, key).catch(codeOf)).resolves.toBe('UNAVAILABLE');
    announcementFails = false;
    expect(await call('counter.addAndAnnounce', 1, key)).toMatchObject({ output: { count: 1 }, replayed: true });
    expect(announcements).toEqual([1, 1, 1]);
    expect(await count()).toBe(1);
  });

  test('is not announced when its key was used for a different request', async () => {
    const key = uuidv7();
    await call('counter.add', 1, key);
    await expect(call('counter.addAndAnnounce', 1, key).catch(codeOf)).resolves.toBe('IDEMPOTENCY_KEY_REUSED');
    expect(announcements).toEqual([]);
  });
});
