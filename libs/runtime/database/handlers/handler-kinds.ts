import type { FailureOf, Input, Operation, Output, ServiceContract } from '@worktrack/contracts/operation';
import type { Answered, BytesOf, Call, CallContext, Waiting } from '@worktrack/rpc/types';
import type { GroupedContext, ReadContext, ReceivingContext, StagedContext, WriteContext } from './contexts.ts';

type Rule<Op extends Operation, Context> = (input: Input<Op>, context: Context) => Promise<Output<Op>>;
export type Read<Op extends Operation> = Rule<Op, ReadContext<FailureOf<Op>>>;
export type WriteAlone<Op extends Operation> = Rule<Op, WriteContext<FailureOf<Op>>>;
type WriteStaged<Op extends Operation> = Rule<Op, StagedContext<FailureOf<Op>, Output<Op>>>;
export type WriteGrouped<Op extends Operation> = Rule<Op, GroupedContext<FailureOf<Op>>>;

/** What a write does besides storing its effect; each part is optional. */
interface WriteOptions<Op extends Operation> {
  /** Makes the record from the answer: for secrets that are shown once, and with `restore` for what must be gone everywhere once it is erased. */
  readonly record?: (answer: Output<Op>) => Output<Op>;
  /** Makes the answer from the record, for a call that is repeated or was delivered again. */
  readonly restore?: (recorded: Output<Op>, context: CallContext<FailureOf<Op>>) => Promise<Output<Op>>;
  /**
   * Makes the write known elsewhere before it is answered: once the transaction is committed, and on every replay. A caller that repeats a call whose
   * announcement failed, or whose service died before it, gets an answer only once it has succeeded. It must be idempotent.
   */
  readonly announce?: (input: Input<Op>, answer: Output<Op>, context: CallContext<FailureOf<Op>>) => Promise<void>;
}

/** The next step of a waiting call: find out whether it was answered before, try, try for the last time, or answer with this, unrecorded. */
export type WaitStep<Answer> = 'look up' | 'try' | 'last try' | { readonly answer: Answer };

/** For a write whose call may wait (`waitField`) until there is something for it to do. */
export interface Wait<Op extends Operation> {
  /** An answer that nothing was there: not recorded unless it is the last, so that a repeated call waits again. */
  isNothing(answer: Output<Op>): boolean;
  /**
   * Called in the order in which the calls came. Asking for the next step says that there was nothing; ending the iteration, that the call is over. After the last
   * try no step is asked for.
   */
  steps(
    input: Input<Op>,
    context: CallContext<FailureOf<Op>> & { readonly waiting: Waiting },
  ): AsyncIterable<WaitStep<Output<Op>>>;
}

/** A write, by how it commits: in a transaction of its own, in one that comes after slow work, or together with concurrent writes. */
export type Write<Op extends Operation> = { readonly kind: 'write' } & WriteOptions<Op> &
  (
    | { readonly commits: 'alone'; readonly rule: WriteAlone<Op> }
    | { readonly commits: 'staged'; readonly rule: WriteStaged<Op> }
    | { readonly commits: 'together'; readonly rule: WriteGrouped<Op>; readonly wait?: Wait<Op> | undefined }
  );
interface Batched<Op extends Operation> {
  readonly kind: 'batched';
  readonly run: (calls: readonly Call<Op>[]) => Promise<readonly Answered<Output<Op>>[]>;
}
export interface Receiving<Op extends Operation> {
  readonly kind: 'receiving';
  readonly rule: (
    input: Input<Op>,
    bytes: AsyncIterable<Buffer>,
    context: ReceivingContext<FailureOf<Op>, Output<Op>>,
  ) => Promise<Output<Op>>;
}
interface Sending<Op extends Operation> {
  readonly kind: 'sending';
  readonly read: (
    input: Input<Op>,
    context: ReadContext<FailureOf<Op>>,
  ) => Promise<{ readonly output: Output<Op>; readonly bytes: AsyncIterable<Uint8Array> }>;
}

type PlainHandler<Op extends Operation> =
  | (Op['effect'] extends 'read' ? Read<Op> : WriteAlone<Op> | Write<Op>)
  | Batched<Op>;
type Handler<Op extends Operation> = [BytesOf<Op>] extends [never]
  ? PlainHandler<Op>
  : BytesOf<Op> extends 'up'
    ? Receiving<Op>
    : Sending<Op>;
export type AnyHandler = PlainHandler<Operation> | Receiving<Operation> | Sending<Operation>;

/** A service's handler for each operation. A plain function is a read, or a write in a transaction of its own. */
export type HandlerTable<C extends ServiceContract> = {
  readonly [Name in keyof C['operations']]: Handler<C['operations'][Name]>;
};

/**
 * A write that is more than its effect: see WriteOptions.
 * @param options `staged`: it does slow work outside its transaction, which a repeated call does not do again
 */
export function write<Op extends Operation>(
  rule: WriteStaged<Op>,
  options: WriteOptions<Op> & { readonly staged: true },
): Write<Op>;
export function write<Op extends Operation>(rule: WriteAlone<Op>, options: WriteOptions<Op>): Write<Op>;
export function write<Op extends Operation>(
  rule: WriteAlone<Op> | WriteStaged<Op>,
  { staged, ...options }: WriteOptions<Op> & { readonly staged?: boolean },
): Write<Op> {
  return { kind: 'write', commits: staged ? 'staged' : 'alone', rule, ...options } as Write<Op>;
}

/**
 * A write whose transaction is one command, shared with concurrent writes (group-commit.ts). Its rule runs again
 * when something it read is no longer so. Without `grouped`, a write has a transaction of its own, in which it reads and writes as it likes:
 * simpler, and several times slower.
 */
export function grouped<Op extends Operation>(rule: WriteGrouped<Op>, wait?: Wait<Op>): Write<Op> {
  return { kind: 'write', commits: 'together', rule, wait };
}

/** All calls of the operation that came in one message, at once and without a transaction; exactly-once is the function's own responsibility. */
export function batched<Op extends Operation>(run: Batched<Op>['run']): Batched<Op> {
  return { kind: 'batched', run };
}

/** A write that takes a stream of bytes (`bytes: 'up'`). */
export function receiving<Op extends Operation>(rule: Receiving<Op>['rule']): Receiving<Op> {
  return { kind: 'receiving', rule };
}

/** A read that answers with a stream of bytes (`bytes: 'down'`). */
export function sending<Op extends Operation>(read: Sending<Op>['read']): Sending<Op> {
  return { kind: 'sending', read };
}
