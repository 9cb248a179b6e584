import type { ErrorCode } from '@worktrack/contracts/errors';
import type { CallContext } from '@worktrack/rpc/types';
import type { TransactionScope } from '../writes/commit-alone.ts';
import type { WriteSet } from '../writes/write-set.ts';

export type ReadContext<Code extends ErrorCode = never> = CallContext<Code>;

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
