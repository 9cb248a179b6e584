import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@worktrack/contracts/caller';
import { type ErrorCode, OperationError } from '@worktrack/contracts/errors';
import type { Input, Operation, Output } from '@worktrack/contracts/operation';
import type { CallContext, Reply } from '@worktrack/rpc/types';
import { databaseFailure, tooLate } from '../failure.ts';
import { enterOperation } from '../outbox/audited.ts';
import { commitAlone, type TransactionScope } from '../writes/commit-alone.ts';
import { commitTogether, nextAttempt } from '../writes/group-commit.ts';
import { patienceMs } from '../writes/patience.ts';
import { Stale } from '../writes/stale.ts';
import { type CommitOutcome, WriteSet } from '../writes/write-set.ts';
import {
  AlreadyDone,
  type AreSameItems,
  type EffectIdentity,
  type EffectKey,
  earlierAnswer,
  effectIdentity,
  isRecorded,
  type Recorded,
  recordEffect,
} from './effects.repository.ts';
import type { Receiving, Wait, Write } from './handler-kinds.ts';

/** An operation, and what identifies a repeated call of it. */
export interface Repeatable {
  readonly operation: Operation;
  readonly areSameItems: ((caller: Caller, pairs: Parameters<AreSameItems>[0]) => Promise<boolean>) | undefined;
}

type AnyContext = CallContext<ErrorCode>;
interface AnyReply extends Reply<unknown> {
  /** It was read from the record. */
  readonly isRecord?: boolean;
}
type GroupedRule = (Write<Operation> & { readonly commits: 'together' })['rule'];

/** Turns at-least-once delivery into an exactly-once effect: the record of the idempotency key is part of the effect's transaction. */
export async function runWrite(
  repeatable: Repeatable,
  write: Write<Operation>,
  input: unknown,
  context: AnyContext,
): Promise<Reply<unknown>> {
  const identity = identityOf(repeatable, input, context);
  const { restore, announce } = write;
  const { output, replayed, isRecord } = await writeOnce(repeatable, write, identity, input, context);
  const answer = isRecord && restore ? await restore(output, context) : output;
  await announce?.(input, answer, context);
  return { output: answer, replayed };
}

async function writeOnce(
  { operation }: Repeatable,
  write: Write<Operation>,
  identity: EffectIdentity,
  input: unknown,
  context: AnyContext,
): Promise<AnyReply> {
  const { deadlineAtMs, waiting } = context;
  const entered = (answer: unknown, writes: WriteSet) => {
    enterOperation(operation, context, { input, answer, writes });
    return answer;
  };
  if (write.commits === 'together') {
    const { wait } = write;
    const rule: GroupedRule = async (given, scope) => entered(await write.rule(given, scope), scope.writes);
    if (wait && waiting) return await writeInSteps(rule, wait, identity, input, { ...context, waiting });
    return await onceOnly(identity, context, () => writeGrouped(rule, identity, input, context));
  }
  const commit = (work: (scope: TransactionScope) => Promise<unknown>) =>
    commitRecorded(
      identity,
      deadlineAtMs,
      async (scope) => entered(await work(scope), scope.writes),
      recordedBy(write),
    );
  if (write.commits === 'alone') {
    const { rule } = write;
    return await onceOnly(identity, context, () => commit((scope) => rule(input, { ...context, ...scope })));
  }
  // First, and not only after a failure: the slow work must not be done for nothing.
  const earlier = await earlierReply(identity, context);
  return earlier ?? (await onceOnly(identity, context, () => write.rule(input, { ...context, commit })));
}

/** What the record leaves out is shown once: to nobody but the call itself, as often as its answer is lost. Unless it is restored from elsewhere. */
function recordedBy({ record, restore }: Write<Operation>): (answer: unknown) => Recorded {
  if (!record) return (answer) => ({ answer });
  return (answer) => ({ answer: record(answer), ...(!restore && { whole: answer }) });
}

/** For a call that waits: the steps say when to try. */
async function writeInSteps(
  rule: GroupedRule,
  wait: Wait<Operation>,
  identity: EffectIdentity,
  input: unknown,
  context: Parameters<Wait<Operation>['steps']>[1],
): Promise<AnyReply> {
  for await (const step of wait.steps(input, context)) {
    if (typeof step === 'object') return { output: step.answer, replayed: false };
    const unlessNothing = step === 'last try' ? undefined : wait.isNothing;
    const reply =
      step === 'look up'
        ? await earlierReply(identity, context)
        : await onceOnly(identity, context, () => writeGrouped(rule, identity, input, context, unlessNothing));
    if (reply && reply.output !== undefined) return reply;
  }
  throw new Error('A wait ended without a last try.');
}

/**
 * The rule, and then its writes with those of others; again from the start as long as others change what it relies on.
 * @returns undefined, with nothing stored, not even the record, for an answer that `isNothing`
 */
async function writeGrouped(
  rule: GroupedRule,
  identity: EffectIdentity,
  input: unknown,
  context: AnyContext,
  isNothing?: (answer: unknown) => boolean,
): Promise<unknown> {
  let met: ReadonlySet<string> = new Set();
  for (let attempt = 1; ; attempt++) {
    // Not before the third: the first attempt usually meets nobody, and the second often writes other documents than those in which the first met others.
    const takesTurn = attempt > 2 && met.size > 0;
    const writes = new WriteSet();
    let answer: unknown;
    let isStored = async () => false;
    const run = async () => {
      answer = await rule(input, { ...context, writes });
      if (isNothing?.(answer)) {
        writes.conclude('unused');
        return undefined;
      }
      isStored = recordEffect(identity, { answer }, writes);
      await commitTogether(writes, context.deadlineAtMs, () => isRecorded(identity), takesTurn);
      writes.conclude('stored');
      return answer;
    };
    try {
      return await (takesTurn ? nextAttempt(met, run) : run());
    } catch (error) {
      let outcome: CommitOutcome = 'unknown';
      try {
        outcome = await outcomeAfter(error, writes, isStored);
      } finally {
        // Also if the database cannot be asked: whoever waits for the outcome would wait for ever.
        writes.conclude(outcome);
      }
      if (outcome === 'stored') return answer;
      if (outcome !== 'stale') throw error;
      if (Date.now() >= context.deadlineAtMs) throw tooLate();
      met = writes.exclusiveKeys;
      await delay(patienceMs(attempt));
    }
  }
}

async function outcomeAfter(
  error: unknown,
  writes: WriteSet,
  isStored: () => Promise<boolean>,
): Promise<CommitOutcome> {
  if (error instanceof Stale) return 'stale';
  const isRepeated = error instanceof AlreadyDone;
  if (!isRepeated && !(error instanceof OperationError)) return 'unknown';
  // The reply to its commit may have been lost: sent again, it is refused for itself, or it is too late for that.
  if ((isRepeated || writes.isSent) && (await isStored())) return 'stored';
  if (isRepeated) return 'unused';
  if (writes.isSent) return 'unknown';
  return (await writes.reliesOnOutdated()) ? 'stale' : 'unused';
}

export async function runUpload(
  repeatable: Repeatable,
  { rule }: Receiving<Operation>,
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
      return await commitRecorded(mine, Date.now() + commitMs, work);
    } catch (error) {
      throw (await earlierAnswer(mine)) ? new AlreadyDone() : error;
    }
  };
  try {
    return { output: await rule(input, bytes, { ...context, commit }), replayed: false };
  } catch (error) {
    const earlier = error instanceof AlreadyDone && identity && (await earlierReply(identity, context));
    if (earlier) return earlier;
    throw error;
  }
}

/**
 * The answer of the write, or of an earlier one with its identity. An earlier one is looked for when the write fails: its rule or a unique index may refuse it
 * because of that one's effect. Otherwise the database reports it, since the record would be its second.
 */
async function onceOnly(
  identity: EffectIdentity,
  context: AnyContext,
  write: () => Promise<unknown>,
): Promise<AnyReply> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { output: await write(), replayed: false };
    } catch (error) {
      const isTooLate = error instanceof OperationError && error.code === 'DEADLINE_EXCEEDED';
      if (isTooLate || databaseFailure(error)) throw error;
      const earlier = await earlierReply(identity, context);
      if (earlier) return earlier;
      if (!(error instanceof AlreadyDone)) throw error;
      // The other one is still in progress: it will be there, or will not have been.
      if (Date.now() >= context.deadlineAtMs) throw tooLate();
      await delay(patienceMs(attempt));
    }
  }
}

/** The effect and the record of its key, in a transaction of their own. */
async function commitRecorded(
  identity: EffectIdentity,
  deadlineAtMs: number,
  work: (scope: TransactionScope) => Promise<unknown>,
  recorded: (answer: unknown) => Recorded = (answer) => ({ answer }),
): Promise<unknown> {
  const runs: { answer: unknown; writes: WriteSet; isStored: () => Promise<boolean> }[] = [];
  try {
    return await commitAlone(
      async (scope) => {
        const answer = await work(scope);
        const isStored = recordEffect(identity, recorded(answer), scope.writes);
        runs.push({ answer, writes: scope.writes, isStored });
        return answer;
      },
      { deadlineAtMs, isStored: () => isRecorded(identity) },
    );
  } catch (error) {
    // The reply to a commit may have been lost, and the next run then refused because of what was stored: by the rule, the record, or a unique index. The first
    // run's answer may say more than the record: a secret, once.
    for (const { answer, writes, isStored } of runs) if (writes.isSent && (await isStored())) return answer;
    throw error;
  }
}

async function earlierReply(identity: EffectIdentity, context: AnyContext): Promise<AnyReply | undefined> {
  const earlier = await earlierAnswer(identity);
  if (!earlier) return undefined;
  if (!earlier.sameRequest) {
    throw context.fail(
      'IDEMPOTENCY_KEY_REUSED',
      'This idempotency key was used for another request within 24 hours. Use a new key for a new request.',
    );
  }
  return { output: earlier.answer, replayed: !earlier.sameCall, isRecord: true };
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
  const { caller, idempotencyKey, callSecret } = context;
  if (!idempotencyKey) throw new Error(`${operation.name} writes and came without an idempotency key.`);
  if (operation.permissions === 'internal') {
    const internal = { idempotencyKey, caller: { organizationId: '-' } };
    return { ...effectIdentity(internal, operation.name, input), callSecret };
  }
  return {
    ...effectIdentity({ idempotencyKey, caller, own: ownOf(operation, caller) }, operation.name, input),
    callSecret,
    areSameItems: areSameItems && ((pairs) => areSameItems(caller, pairs)),
  };
}

function ownOf({ own }: Operation, { userId, keyId }: Caller): string | undefined {
  return own && { user: userId, key: keyId }[own];
}
