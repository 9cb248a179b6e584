import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@worktrack/contracts/caller';
import type { ErrorCode } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import type { Effect, FailureOf, Input, Operation, Output, ServiceContract } from '@worktrack/contracts/operation';
import type { Call, CallContext, Reply, RpcHandler, RpcHandlers, Settled, Waiting } from '@worktrack/rpc/types';
import type { ClientSession } from 'mongoose';
import { commitSet } from './commit-set.ts';
import {
  AlreadyDone,
  type AreSameItems,
  type EffectIdentity,
  type EffectKey,
  earlierAnswer,
  effectIdentity,
  isRecorded,
  recordEffect,
} from './effects.repository.ts';
import { databaseFailure, tooLate } from './failure.ts';
import { commitTogether } from './group-commit.ts';
import { Stale } from './stale.ts';
import { inTurn } from './turns.ts';
import { WriteSet } from './write-set.ts';

export type ReadContext<Code extends ErrorCode = never> = CallContext<Code>;

/** Inside one transaction: what is read through `tx` is of one moment, and what is put into `writes` is sent at its end. */
export interface TransactionScope {
  readonly tx: ClientSession;
  readonly writes: WriteSet;
}

/** A write that runs inside one transaction: everything it stores goes through `tx` or `writes`. */
export interface WriteContext<Code extends ErrorCode = never> extends CallContext<Code>, TransactionScope {}

/** A write that reads outside any transaction, and stores through `writes` alone: each states in its filter what it relies on. */
export interface GroupedContext<Code extends ErrorCode = never> extends CallContext<Code> {
  readonly writes: WriteSet;
}

/** A write that does slow work first: it stores through `commit`, once, and answers with what `commit` returns. */
export interface StagedContext<Code extends ErrorCode, Answer> extends CallContext<Code> {
  commit(work: (scope: TransactionScope) => Promise<Answer>): Promise<Answer>;
}

/** Like StagedContext, for a write that receives bytes: they are part of the request, so a repeated key with other bytes is refused. */
export interface ReceivingContext<Code extends ErrorCode, Answer> extends CallContext<Code> {
  /**
   * @param contentDigest of all bytes received
   * @throws AlreadyDone when an earlier call has stored them: discard these and let it propagate
   */
  commit(contentDigest: string, work: (scope: TransactionScope) => Promise<Answer>): Promise<Answer>;
}

type Read<Op extends Operation> = (input: Input<Op>, context: ReadContext<FailureOf<Op>>) => Promise<Output<Op>>;
type Write<Op extends Operation> = (input: Input<Op>, context: WriteContext<FailureOf<Op>>) => Promise<Output<Op>>;
type GroupedWrite<Op extends Operation> = (
  input: Input<Op>,
  context: GroupedContext<FailureOf<Op>>,
) => Promise<Output<Op>>;
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
  readonly complete: (recorded: Output<Op>, context: CallContext<FailureOf<Op>>) => Promise<Output<Op>>;
}
interface Grouped<Op extends Operation> {
  readonly kind: 'grouped';
  readonly write: GroupedWrite<Op>;
}
interface Staged<Op extends Operation> {
  readonly kind: 'staged';
  readonly write: StagedWrite<Op>;
}
interface Patient<Op extends Operation> {
  readonly kind: 'patient';
  readonly write: GroupedWrite<Op>;
  readonly isNothing: (answer: Output<Op>) => boolean;
  readonly wait: Wait<Op>;
}
/** @returns undefined when there was nothing to do, which is recorded and answered only for the last attempt */
export type Attempt<Op extends Operation> = (isLast: boolean) => Promise<Reply<Output<Op>> | undefined>;
/**
 * Decides when to try. It answers with what an attempt answered, or with what an earlier call with the same idempotency key was answered, if there was one. Called
 * in the order in which the calls came.
 */
export type Wait<Op extends Operation> = (
  input: Input<Op>,
  context: CallContext<FailureOf<Op>> & { readonly waiting: Waiting },
  attempt: Attempt<Op>,
  earlier: Promise<Reply<Output<Op>> | undefined>,
) => Promise<Reply<Output<Op>>>;
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
  | (Op['effect'] extends 'read'
      ? Read<Op>
      : Write<Op> | Recorded<Op> | Grouped<Op> | Patient<Op> | Staged<Op> | Announced<Op>)
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

/**
 * A write whose record holds something other than its answer: for secrets that are shown once, and for what must be gone everywhere once it is erased.
 * @param complete makes a replay's answer from the recorded one; default: as it was recorded
 */
export function recorded<Op extends Operation>(
  write: Write<Op>,
  redact: (answer: Output<Op>) => Output<Op>,
  complete: Recorded<Op>['complete'] = async (answer) => answer,
): Recorded<Op> {
  return { kind: 'recorded', write, redact, complete };
}

/**
 * A write whose transaction is one command, shared with concurrent writes (group-commit.ts). Its rule runs again
 * when something it read is no longer so. Without `grouped`, a write has a transaction of its own, in which it reads and writes as it likes:
 * simpler, and several times slower.
 */
export function grouped<Op extends Operation>(write: GroupedWrite<Op>): Grouped<Op> {
  return { kind: 'grouped', write };
}

/**
 * A grouped write whose call may wait (`waitField`) until there is something for it to do. An attempt that finds nothing in time leaves no record, so
 * that a repeated call waits again; the last attempt is recorded like any write.
 */
export function patient<Op extends Operation>(
  write: GroupedWrite<Op>,
  isNothing: Patient<Op>['isNothing'],
  wait: Wait<Op>,
): Patient<Op> {
  return { kind: 'patient', write, isNothing, wait };
}

/** A write with slow work outside its transaction. A repeated call does not do that work again. */
export function staged<Op extends Operation>(write: StagedWrite<Op>): Staged<Op> {
  return { kind: 'staged', write };
}

/**
 * A write that must be known elsewhere before it is answered. `announce` runs once the transaction is committed, and on every replay:
 * a caller that repeats a call whose announcement failed, or whose service died before it, gets an answer only once it has succeeded. It must be idempotent.
 */
export function announced<Op extends Operation>(write: Write<Op>, announce: Announced<Op>['announce']): Announced<Op> {
  return { kind: 'announced', write, announce };
}

/** All calls of the operation that came in one message, at once and without a transaction; exactly-once is the function's own responsibility. */
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
 * @param areSameItems for a service whose inputs name items in several forms
 */
export function implement<C extends ServiceContract>(
  contract: C,
  table: Table<C>,
  areSameItems?: (caller: Caller, pairs: Parameters<AreSameItems>[0]) => Promise<boolean>,
): RpcHandlers<C> {
  const handlers: Record<string, RpcHandler<Operation>> = {};
  for (const [name, operation] of Object.entries<Operation>(contract.operations)) {
    const implementation = table[name] as unknown as AnyImplementation | undefined;
    if (!implementation) throw new Error(`The contract of ${contract.name} has ${name}, and no handler implements it.`);
    handlers[name] = handlerOf({ operation, areSameItems }, implementation);
  }
  return handlers as unknown as RpcHandlers<C>;
}

/** An operation, and what identifies a repeated call of it. */
interface Repeatable {
  readonly operation: Operation;
  readonly areSameItems: ((caller: Caller, pairs: Parameters<AreSameItems>[0]) => Promise<boolean>) | undefined;
}

function handlerOf(repeatable: Repeatable, implementation: AnyImplementation): RpcHandler<Operation> {
  if (typeof implementation !== 'function') {
    switch (implementation.kind) {
      case 'batched':
        return { many: (calls) => meaningfully(() => atOneMoment(() => implementation.run(calls))) };
      case 'grouped':
        return {
          one: (input, context) => meaningfully(() => writeGrouped(repeatable, implementation, input, context)),
        };
      case 'patient':
        return {
          one: (input, context) => meaningfully(() => writePatiently(repeatable, implementation, input, context)),
        };
      case 'staged':
        return { one: (input, context) => meaningfully(() => writeStaged(repeatable, implementation, input, context)) };
      case 'announced':
        return {
          one: (input, context) =>
            meaningfully(async () => {
              const reply = await writeOnce(repeatable, implementation.write, asItIs, input, context);
              await implementation.announce(input, reply.output, context);
              return reply;
            }),
        };
      case 'receiving':
        return {
          upload: (input, bytes, context) =>
            meaningfully(() => writeReceived(repeatable, implementation, input, bytes, context)),
        };
      case 'sending':
        return { download: (input, context) => meaningfully(() => implementation.read(input, context)) };
      case 'recorded':
        return {
          one: (input, context) =>
            meaningfully(async () => {
              const reply = await writeOnce(repeatable, implementation.write, implementation.redact, input, context);
              return reply.replayed
                ? { ...reply, output: await implementation.complete(reply.output, context) }
                : reply;
            }),
        };
    }
  }
  if (repeatable.operation.effect === ('read' satisfies Effect)) {
    const read = implementation as Read<Operation>;
    return {
      one: (input, context) =>
        meaningfully(async () => ({ output: await atOneMoment(() => read(input, context)), replayed: false })),
    };
  }
  const write = implementation as Write<Operation>;
  return {
    one: (input, context) => meaningfully(() => writeOnce(repeatable, write, asItIs, input, context)),
  };
}

const READ_ATTEMPTS = 5;

/** A read of several queries has no snapshot: if what one of them found does not fit what another did, something was changed in between. */
async function atOneMoment<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Stale) || attempt === READ_ATTEMPTS) throw error;
    }
  }
}

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/**
 * How long to wait before retrying a write that met others. Hardly at all at first: within one process, those that write the same thing go one after the other
 * anyway. Longer, and random, if that does not help, since then the conflict is with other replicas.
 */
function patienceMs(attempt: number): number {
  if (attempt <= 2) return 0;
  return Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 2));
}

type AnyContext = CallContext<ErrorCode>;

const asItIs = (answer: unknown) => answer;

async function writeOnce(
  repeatable: Repeatable,
  write: Write<Operation>,
  redact: (answer: unknown) => unknown,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(repeatable, input, context);
  return onceOnly(identity, context, () =>
    commitAlone(identity, context.deadlineAtMs, redact, (scope) => write(input, { ...context, ...scope })),
  );
}

/** The rule, and then its writes with those of others; again from the start as long as others change what it relies on. */
async function writeGrouped(
  repeatable: Repeatable,
  { write }: Pick<Grouped<Operation>, 'write'>,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(repeatable, input, context);
  let met: ReadonlySet<string> = new Set();
  return onceOnly(identity, context, async () => {
    for (let attempt = 1; ; attempt++) {
      const writes = new WriteSet();
      try {
        // Not before the first attempt, which usually meets nobody.
        return await inTurn(met, async () => {
          const answer = await write(input, { ...context, writes });
          recordEffect(identity, answer, writes);
          await commitTogether(writes, context.deadlineAtMs, () => isRecorded(identity));
          writes.settle('stored');
          return answer;
        });
      } catch (error) {
        const isRefused = error instanceof OperationError;
        const isStale = error instanceof Stale || (isRefused && (await writes.reliesOnOutdated()));
        const isUnused = isRefused || error instanceof AlreadyDone || error instanceof NothingYet;
        writes.settle(isStale ? 'stale' : isUnused ? 'unused' : 'unknown');
        if (!isStale) throw error;
        if (Date.now() >= context.deadlineAtMs) throw tooLate();
        met = writes.exclusiveKeys;
        await delay(patienceMs(attempt));
      }
    }
  });
}

/** Thrown out of an attempt that is not the last: nothing of it is stored, not even its record. */
class NothingYet extends Error {}

async function writePatiently(
  repeatable: Repeatable,
  { write, isNothing, wait }: Patient<Operation>,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const { waiting } = context;
  if (!waiting) return writeGrouped(repeatable, { write }, input, context);
  const identity = identityOf(repeatable, input, context);
  const unlessNothing: GroupedWrite<Operation> = async (given, scope) => {
    const answer = await write(given, scope);
    if (isNothing(answer)) throw new NothingYet();
    return answer;
  };
  const attempt: Attempt<Operation> = async (isLast) => {
    try {
      return await writeGrouped(repeatable, { write: isLast ? write : unlessNothing }, input, context);
    } catch (error) {
      if (error instanceof NothingYet) return undefined;
      throw error;
    }
  };
  // What has been answered is not waited for again.
  const earlier = earlierAnswer(identity).then((found) => (found ? replay(identity, context) : undefined));
  // A caller that does not ask to wait does not wait.
  earlier.catch(() => {});
  return wait(input, { ...context, waiting }, attempt, earlier);
}

async function writeStaged(
  repeatable: Repeatable,
  implementation: Staged<Operation>,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(repeatable, input, context);
  // First, and not only after a failure: the slow work must not be done for nothing.
  if (await earlierAnswer(identity)) return replay(identity, context);
  const commit = (work: (scope: TransactionScope) => Promise<unknown>) =>
    commitAlone(identity, context.deadlineAtMs, asItIs, work);
  return onceOnly(identity, context, () => implementation.write(input, { ...context, commit }));
}

async function writeReceived(
  repeatable: Repeatable,
  implementation: Receiving<Operation>,
  input: unknown,
  bytes: AsyncIterable<Buffer>,
  context: AnyContext,
): Promise<Reply<unknown>> {
  let identity: EffectIdentity | undefined;
  // The deadline bounds the silence between two chunks; storing what arrived gets a full deadline of its own.
  const commitMs = context.deadlineAtMs - Date.now();
  const commit = async (contentDigest: string, work: (scope: TransactionScope) => Promise<unknown>) => {
    const mine = identityOf(repeatable, [input, contentDigest], context);
    identity = mine;
    try {
      return await commitAlone(mine, Date.now() + commitMs, asItIs, work);
    } catch (error) {
      throw (await earlierAnswer(mine)) ? new AlreadyDone() : error;
    }
  };
  try {
    return { output: await implementation.write(input, bytes, { ...context, commit }), replayed: false };
  } catch (error) {
    if (error instanceof AlreadyDone && identity) return replay(identity, context);
    throw error;
  }
}

/**
 * The answer of the write, or of an earlier one with its identity. Whether there was one is checked when the write is refused: it may be refused
 * because of what the earlier one did. Otherwise the database says so, since its record would be the second.
 */
async function onceOnly(
  identity: EffectIdentity,
  context: AnyContext,
  write: () => Promise<unknown>,
): Promise<Reply<unknown>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { output: await write(), replayed: false };
    } catch (error) {
      const isRefused = error instanceof OperationError && error.code !== 'DEADLINE_EXCEEDED';
      if (!(error instanceof AlreadyDone) && !isRefused) throw error;
      if (await earlierAnswer(identity)) return replay(identity, context);
      if (isRefused) throw error;
      // The other one is still in progress: it will be there, or will not have been.
      if (Date.now() >= context.deadlineAtMs) throw tooLate();
      await delay(patienceMs(attempt));
    }
  }
}

/** The effect and the record of its key, in a transaction of their own. */
async function commitAlone(
  identity: EffectIdentity,
  deadlineAtMs: number,
  redact: (answer: unknown) => unknown,
  work: (scope: TransactionScope) => Promise<unknown>,
): Promise<unknown> {
  return commitSet(
    deadlineAtMs,
    async (tx, writes) => {
      const answer = await work({ tx, writes });
      recordEffect(identity, redact(answer), writes);
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
 * The recorded answer of an earlier write: for callers that cannot repeat the write itself, because what it needs is gone by now.
 * @param inputOf the input with which the write was recorded, parsed; for an operation that receives bytes, with their digest
 * @returns undefined when there was none with this key, or it was a different request
 */
export async function answerBefore<Op extends Operation>(
  operation: Op,
  by: EffectKey,
  inputOf: (answer: Output<Op>) => Input<Op> | readonly [Input<Op>, contentDigest: string],
): Promise<Output<Op> | undefined> {
  const identity = (input: unknown) => effectIdentity(by, operation.name, input);
  const found = await earlierAnswer(identity(null));
  if (!found) return undefined;
  const answer = found.answer as Output<Op>;
  return (await earlierAnswer(identity(inputOf(answer))))?.sameRequest ? answer : undefined;
}

function identityOf({ operation, areSameItems }: Repeatable, input: unknown, context: AnyContext): EffectIdentity {
  const { caller, idempotencyKey } = context;
  if (!idempotencyKey) throw new Error(`${operation.name} writes and came without an idempotency key.`);
  if (operation.permissions === 'internal') {
    return effectIdentity({ organizationId: '-', idempotencyKey }, operation.name, input);
  }
  const { organizationId, sessionProjectId } = caller;
  return {
    ...effectIdentity({ organizationId, idempotencyKey, sessionProjectId }, operation.name, input),
    areSameItems: areSameItems && ((pairs) => areSameItems(caller, pairs)),
  };
}

/** A database that is unavailable or late is reported as such; everything else is rethrown unchanged. */
async function meaningfully<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw databaseFailure(error) ?? error;
  }
}
