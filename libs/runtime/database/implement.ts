import type { ErrorCode } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { Effect, FailureOf, Input, Operation, Output, ServiceContract } from '@worktrack/contracts/operation';
import type { Call, CallContext, Reply, RpcHandler, RpcHandlers, Settled } from '@worktrack/rpc/types';
import type { ClientSession } from 'mongoose';
import { databaseFailure, transaction } from './connection.ts';
import {
  AlreadyDone,
  claimEffect,
  type EffectIdentity,
  earlierAnswer,
  effectIdentity,
  isRecorded,
  recordAnswer,
} from './effects.repository.ts';

export type ReadContext<Code extends ErrorCode = never> = CallContext<Code>;

/** A write runs inside one transaction, and all that it stores goes through `tx`. */
export interface WriteContext<Code extends ErrorCode = never> extends CallContext<Code> {
  readonly tx: ClientSession;
}

/** A write that does slow work first: it stores by `commit`, once, and answers with what `commit` returns. */
export interface StagedContext<Code extends ErrorCode, Answer> extends CallContext<Code> {
  commit(work: (tx: ClientSession) => Promise<Answer>): Promise<Answer>;
}

/** As StagedContext for a write that receives bytes: they are part of the request, so a repeated key with other bytes is refused. */
export interface ReceivingContext<Code extends ErrorCode, Answer> extends CallContext<Code> {
  /**
   * @param contentDigest of all bytes received
   * @throws AlreadyDone when an earlier call has stored them: discard these and let it pass
   */
  commit(contentDigest: string, work: (tx: ClientSession) => Promise<Answer>): Promise<Answer>;
}

type Read<Op extends Operation> = (input: Input<Op>, context: ReadContext<FailureOf<Op>>) => Promise<Output<Op>>;
type Write<Op extends Operation> = (input: Input<Op>, context: WriteContext<FailureOf<Op>>) => Promise<Output<Op>>;
type StagedWrite<Op extends Operation> = (
  input: Input<Op>,
  context: StagedContext<FailureOf<Op>, Output<Op>>,
) => Promise<Output<Op>>;
type ReceivingWrite<Op extends Operation> = (
  input: Input<Op>,
  bytes: AsyncIterable<Buffer>,
  context: ReceivingContext<FailureOf<Op>, Output<Op>>,
) => Promise<Output<Op>>;
type SendingRead<Op extends Operation> = (
  input: Input<Op>,
  context: ReadContext<FailureOf<Op>>,
) => Promise<{ readonly output: Output<Op>; readonly bytes: AsyncIterable<Uint8Array> }>;
type Batch<Op extends Operation> = (calls: readonly Call<Op>[]) => Promise<readonly Settled<Output<Op>>[]>;

interface Recorded<Op extends Operation> {
  readonly kind: 'recorded';
  readonly write: Write<Op>;
  readonly redact: (answer: Output<Op>) => Output<Op>;
}
interface Staged<Op extends Operation> {
  readonly kind: 'staged';
  readonly write: StagedWrite<Op>;
}
interface Announced<Op extends Operation> {
  readonly kind: 'announced';
  readonly write: Write<Op>;
  readonly announce: (input: Input<Op>, answer: Output<Op>, context: CallContext<FailureOf<Op>>) => Promise<void>;
}
interface Batched<Op extends Operation> {
  readonly kind: 'batched';
  readonly run: Batch<Op>;
}

type PlainImplementation<Op extends Operation> =
  | (Op['effect'] extends 'read' ? Read<Op> : Write<Op> | Recorded<Op> | Staged<Op> | Announced<Op>)
  | Batched<Op>;

type BytesOf<Op extends Operation> = Exclude<Op['bytes'], undefined>;
type Implementation<Op extends Operation> = [BytesOf<Op>] extends ['up']
  ? [BytesOf<Op>] extends [never]
    ? PlainImplementation<Op>
    : Receiving<Op>
  : [BytesOf<Op>] extends ['down']
    ? Sending<Op>
    : PlainImplementation<Op>;
type AnyImplementation = PlainImplementation<Operation> | Receiving<Operation> | Sending<Operation>;

interface Receiving<Op extends Operation> {
  readonly kind: 'receiving';
  readonly write: ReceivingWrite<Op>;
}
interface Sending<Op extends Operation> {
  readonly kind: 'sending';
  readonly read: SendingRead<Op>;
}

type Table<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: Implementation<C['operations'][Name]>;
};

/** A write whose record keeps something else than its answer, for secrets that are shown once. */
export function recorded<Op extends Operation>(
  write: Write<Op>,
  redact: (answer: Output<Op>) => Output<Op>,
): Recorded<Op> {
  return { kind: 'recorded', write, redact };
}

/** A write with slow work outside of its transaction. A repeated call does not do that work again. */
export function staged<Op extends Operation>(write: StagedWrite<Op>): Staged<Op> {
  return { kind: 'staged', write };
}

/**
 * A write that must be known elsewhere before it is answered. `announce` runs once the transaction is committed, and on every replay:
 * whoever repeats a call whose announcement failed, or whose service died before it, gets an answer only when it is through. It must be idempotent.
 */
export function announced<Op extends Operation>(write: Write<Op>, announce: Announced<Op>['announce']): Announced<Op> {
  return { kind: 'announced', write, announce };
}

/** All calls of the operation that came in one message, at once and without a transaction; exactly-once is the function's own duty. */
export function batched<Op extends Operation>(run: Batch<Op>): Batched<Op> {
  return { kind: 'batched', run };
}

/** A write that takes a stream of bytes (`bytes: 'up'`). */
export function receiving<Op extends Operation>(write: ReceivingWrite<Op>): Receiving<Op> {
  return { kind: 'receiving', write };
}

/** A read that answers with a stream of bytes (`bytes: 'down'`). */
export function sending<Op extends Operation>(read: SendingRead<Op>): Sending<Op> {
  return { kind: 'sending', read };
}

/**
 * Turns a service's table of plain functions into RPC handlers. The one place where transactions are opened and where
 * at-least-once delivery becomes an exactly-once effect: the record of the idempotency key is part of the effect's transaction.
 */
export function implement<C extends ServiceContract>(contract: C, table: Table<C>): RpcHandlers<C> {
  const handlers: Record<string, RpcHandler<Operation>> = {};
  for (const [name, operation] of Object.entries<Operation>(contract.operations)) {
    const implementation = table[name] as unknown as AnyImplementation | undefined;
    if (!implementation) throw new Error(`The contract of ${contract.name} has ${name}, and no handler implements it.`);
    handlers[name] = handlerOf(operation, implementation);
  }
  return handlers as unknown as RpcHandlers<C>;
}

function handlerOf(operation: Operation, implementation: AnyImplementation): RpcHandler<Operation> {
  if (typeof implementation !== 'function') {
    switch (implementation.kind) {
      case 'batched':
        return { many: (calls) => meaningfully(() => implementation.run(calls)) };
      case 'staged':
        return { one: (input, context) => meaningfully(() => writeStaged(operation, implementation, input, context)) };
      case 'announced':
        return {
          one: (input, context) =>
            meaningfully(async () => {
              const reply = await writeOnce(operation, implementation.write, asItIs, input, context);
              await implementation.announce(input, reply.output, context);
              return reply;
            }),
        };
      case 'receiving':
        return {
          upload: (input, bytes, context) =>
            meaningfully(() => writeReceived(operation, implementation, input, bytes, context)),
        };
      case 'sending':
        return { download: (input, context) => meaningfully(() => implementation.read(input, context)) };
      case 'recorded':
        return {
          one: (input, context) =>
            meaningfully(() => writeOnce(operation, implementation.write, implementation.redact, input, context)),
        };
    }
  }
  if (operation.effect === ('read' satisfies Effect)) {
    const read = implementation as Read<Operation>;
    return {
      one: (input, context) => meaningfully(async () => ({ output: await read(input, context), replayed: false })),
    };
  }
  const write = implementation as Write<Operation>;
  return {
    one: (input, context) => meaningfully(() => writeOnce(operation, write, asItIs, input, context)),
  };
}

type AnyContext = CallContext<ErrorCode>;

const asItIs = (answer: unknown) => answer;

async function writeOnce(
  operation: Operation,
  write: Write<Operation>,
  redact: (answer: unknown) => unknown,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(operation, input, context);
  try {
    const output = await commitOnce(identity, context.deadlineAtMs, redact, (tx) => write(input, { ...context, tx }));
    return { output, replayed: false };
  } catch (error) {
    if (error instanceof AlreadyDone) return replay(identity, context);
    throw error;
  }
}

async function writeStaged(
  operation: Operation,
  implementation: Staged<Operation>,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(operation, input, context);
  if (await earlierAnswer(identity)) return replay(identity, context);
  const commit = (work: (tx: ClientSession) => Promise<unknown>) =>
    commitOnce(identity, context.deadlineAtMs, asItIs, work);
  try {
    return { output: await implementation.write(input, { ...context, commit }), replayed: false };
  } catch (error) {
    if (error instanceof AlreadyDone) return replay(identity, context);
    throw error;
  }
}

async function writeReceived(
  operation: Operation,
  implementation: Receiving<Operation>,
  input: unknown,
  bytes: AsyncIterable<Buffer>,
  context: AnyContext,
): Promise<Reply<unknown>> {
  let identity: EffectIdentity | undefined;
  // The deadline bounds the silence between two chunks; storing what arrived gets a whole one of its own.
  const commitMs = context.deadlineAtMs - Date.now();
  const commit = (contentDigest: string, work: (tx: ClientSession) => Promise<unknown>) => {
    identity = identityOf(operation, [input, contentDigest], context);
    return commitOnce(identity, Date.now() + commitMs, asItIs, work);
  };
  try {
    return { output: await implementation.write(input, bytes, { ...context, commit }), replayed: false };
  } catch (error) {
    if (error instanceof AlreadyDone && identity) return replay(identity, context);
    throw error;
  }
}

/** The effect and the record of its key, in one transaction. */
function commitOnce(
  identity: EffectIdentity,
  deadlineAtMs: number,
  redact: (answer: unknown) => unknown,
  work: (tx: ClientSession) => Promise<unknown>,
): Promise<unknown> {
  return transaction(
    deadlineAtMs,
    async (tx) => {
      await claimEffect(identity, tx);
      const answer = await work(tx);
      await recordAnswer(identity, redact(answer), tx);
      return answer;
    },
    () => isRecorded(identity),
  );
}

async function replay(identity: EffectIdentity, context: AnyContext): Promise<Reply<unknown>> {
  const earlier = await earlierAnswer(identity);
  if (!earlier) throw new Error(`The record of effect ${identity.id} is gone although its key is taken.`);
  if (!earlier.sameRequest) {
    throw context.fail(
      'IDEMPOTENCY_KEY_REUSED',
      'This idempotency key was used for another request within 24 hours. Use a new key for a new request.',
    );
  }
  return { output: earlier.answer, replayed: true };
}

/**
 * The recorded answer of an earlier write: for who cannot repeat the write itself, because what it takes is gone since.
 * @param inputOf the input with which the write was recorded, parsed; of an operation that receives bytes, with their digest
 * @returns undefined when there was none with this key, or it was another request
 */
export async function answerBefore<Op extends Operation>(
  operation: Op,
  by: { readonly organizationId: string; readonly idempotencyKey: string },
  inputOf: (answer: Output<Op>) => Input<Op> | readonly [Input<Op>, contentDigest: string],
): Promise<Output<Op> | undefined> {
  const identity = (input: unknown) => effectIdentity(by.organizationId, by.idempotencyKey, operation.name, input);
  const found = await earlierAnswer(identity(null));
  if (!found) return undefined;
  const answer = found.answer as Output<Op>;
  return (await earlierAnswer(identity(inputOf(answer))))?.sameRequest ? answer : undefined;
}

function identityOf(operation: Operation, input: unknown, context: AnyContext): EffectIdentity {
  if (!context.idempotencyKey) throw new Error(`${operation.name} writes and came without an idempotency key.`);
  const organizationId = operation.permissions === 'internal' ? '-' : context.caller.organizationId;
  return effectIdentity(organizationId, context.idempotencyKey, operation.name, input);
}

/** A database that is away or late is told as such; everything else goes on as it was thrown. */
async function meaningfully<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw databaseFailure(error) ?? error;
  }
}
