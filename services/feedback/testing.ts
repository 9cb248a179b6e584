import { randomUUID } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import { feedbackContract } from '@worktrack/contracts/feedback/contract';
import type { ingestFeedback } from '@worktrack/contracts/feedback/intake';
import type { Ingested } from '@worktrack/contracts/feedback/public-api';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import type { Answered, Call } from '@worktrack/rpc/types';
import { connectDatabase, disconnectDatabase } from '@worktrack/runtime/database/connection';
import { keyRingSetting } from '@worktrack/runtime/process/key-ring';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { connectRedis } from '@worktrack/runtime/redis/connection';
import { contextOf } from '../../test/support/handled-call.ts';
import { servers } from '../../test/support/servers.ts';
import { handlers } from './handlers.ts';
import { assemble, type PartSettings } from './parts.ts';
import { Retention } from './retention/retention.ts';

export { codeOf } from '../../test/support/handled-call.ts';

type Operations = (typeof feedbackContract)['operations'];
type Name = keyof Operations;
type Submission = RawInput<typeof ingestFeedback>;

const DEADLINE_MS = 30_000;
const TEST_RING = keyRingSetting.parse('test:a secret of the tests; it is long enough');
const SETTINGS: PartSettings = {
  WIDGET_TOKEN_SECRETS: TEST_RING,
  CAPTCHA_PROVIDER: 'altcha',
  CAPTCHA_MIN_SCORE: 0.5,
  ALTCHA_COST: 10,
  ALTCHA_COUNTERS: 50,
};

/**
 * The feedback service without its queue: its handlers, called as libs/rpc calls them, on a real database and a real Redis.
 * @param databaseUrl default: the database itself; a test can pass a route to it that it can disturb
 */
export async function startFeedback(databaseUrl?: string) {
  const { mongodbUrl, redisUrl, databasePrefix } = await servers();
  const log = createLog('test', 'silent');
  await connectDatabase({ url: databaseUrl ?? mongodbUrl, database: `${databasePrefix}_feedback`, log });
  const connections = new Set<ReturnType<typeof connectRedis>>();

  /** Another process of the service, with its own Redis connection and memory. */
  async function replica(settings: Partial<PartSettings> = {}, url = redisUrl) {
    const redis = connectRedis(url, log);
    connections.add(redis);
    if (url === redisUrl) await new Promise((resolve) => redis.once('ready', resolve));
    const parts = assemble({ ...SETTINGS, ...settings }, redis, log);
    const table = handlers(parts);

    const contextBy = (organizationId: string, idempotencyKey: string, deadlineMs = DEADLINE_MS) =>
      contextOf(
        { organizationId, userId: uuidv7(), keyId: uuidv7(), permissions: PERMISSIONS },
        // As libs/rpc estimates it, with a finer-grained clock.
        { idempotencyKey, deadlineAtMs: Date.now() + deadlineMs + 0.5 },
      );

    async function call<N extends Name>(
      name: N,
      input: RawInput<Operations[N]>,
      organizationId = '',
      idempotencyKey: string = uuidv7(),
    ): Promise<Output<Operations[N]>> {
      const operation: Operation = feedbackContract.operations[name];
      const parsed = operation.input.parse(input) as never;
      const context = contextBy(organizationId, idempotencyKey);
      const handler = table[name];
      if ('one' in handler) return (await handler.one(parsed, context)).output as Output<Operations[N]>;
      if (!('many' in handler)) throw new Error(`${name} moves bytes.`);
      const [settled] = await handler.many([{ input: parsed, context }] as never);
      if (!settled) throw new Error(`${name} gave no answer.`);
      if ('error' in settled) throw OperationError.from(settled.error);
      return settled.output as Output<Operations[N]>;
    }

    /** What arrived in one message. */
    async function ingest(
      submissions: readonly Submission[],
      deadlineMs?: number,
    ): Promise<readonly Answered<Ingested>[]> {
      const calls = submissions.map((submission) => ({
        input: feedbackContract.operations['feedback.ingest'].input.parse(submission),
        context: contextBy('', submission.itemId, deadlineMs),
      }));
      const handler = table['feedback.ingest'];
      if (!('many' in handler)) throw new Error('Ingest takes all calls of a message at once.');
      return handler.many(calls as unknown as Call<typeof ingestFeedback>[]);
    }

    return { redis, call, ingest, retention: new Retention(parts.duplicates, log) };
  }

  return {
    ...(await replica()),
    replica,
    async stop() {
      for (const redis of connections) redis.disconnect();
      await disconnectDatabase();
    },
  };
}

export type Replica = Awaited<ReturnType<Awaited<ReturnType<typeof startFeedback>>['replica']>>;

/** A submission to its own source, unless stated otherwise. */
export function submission(changes: Partial<Submission> = {}): Submission {
  return {
    itemId: uuidv7(),
    organizationId: randomUUID(),
    sourceId: randomUUID(),
    origin: 'https://a.example',
    ipHash: 'h'.repeat(43),
    message: 'The export button does nothing.',
    ...changes,
  };
}

/** For each: `stored`, `replayed` or the refusal's code. */
export function outcomes(settled: readonly Answered<Ingested>[]): string[] {
  return settled.map((one) => ('error' in one ? one.error.code : one.replayed ? 'replayed' : 'stored'));
}
