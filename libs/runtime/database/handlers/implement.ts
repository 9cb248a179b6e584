import type { Caller } from '@worktrack/contracts/caller';
import { type ErrorCode, OperationError } from '@worktrack/contracts/errors';
import type { Operation, ServiceContract } from '@worktrack/contracts/operation';
import type { CallContext, RpcHandler, RpcHandlers } from '@worktrack/rpc/types';
import { uuidv7 } from '../../process/uuid.ts';
import { isDuplicateKey } from '../duplicate-key.ts';
import { databaseFailure } from '../failure.ts';
import { enterOperation } from '../outbox/audited.ts';
import { commitAlone } from '../writes/commit-alone.ts';
import { Stale } from '../writes/stale.ts';
import type { AreSameItems } from './effects.repository.ts';
import type { AnyHandler, HandlerTable, Read, Write } from './handler-kinds.ts';
import { type Repeatable, runUpload, runWrite } from './run-write.ts';

/**
 * Turns a service's table of plain functions into RPC handlers. The one place where transactions are opened (run-write.ts) and where a failure of the
 * database gets its meaning.
 * @param areSameItems for a service whose inputs name items in several forms
 */
export function implement<C extends ServiceContract>(
  contract: C,
  table: HandlerTable<C>,
  areSameItems?: (caller: Caller, pairs: Parameters<AreSameItems>[0]) => Promise<boolean>,
): RpcHandlers<C> {
  const handlers: Record<string, RpcHandler<Operation>> = {};
  for (const [name, operation] of Object.entries<Operation>(contract.operations)) {
    const handler = table[name] as unknown as AnyHandler | undefined;
    if (!handler) throw new Error(`The contract of ${contract.name} has ${name}, and no handler implements it.`);
    handlers[name] = rpcHandlerOf({ operation, areSameItems }, handler);
  }
  return handlers as unknown as RpcHandlers<C>;
}

function rpcHandlerOf(repeatable: Repeatable, handler: AnyHandler): RpcHandler<Operation> {
  if (typeof handler === 'function') {
    if (repeatable.operation.effect !== 'read') {
      const rule = handler as (Write<Operation> & { readonly commits: 'alone' })['rule'];
      return rpcHandlerOf(repeatable, { kind: 'write', commits: 'alone', rule });
    }
    const read = handler as Read<Operation>;
    return {
      one: (input, context) =>
        meaningfully(async () => {
          const output = await atOneMoment(() => read(input, context));
          await enterReading(repeatable.operation, input, output, context);
          return { output, replayed: false };
        }),
    };
  }
  switch (handler.kind) {
    case 'write':
      return { one: (input, context) => meaningfully(() => runWrite(repeatable, handler, input, context)) };
    case 'batched':
      return { many: (calls) => meaningfully(() => atOneMoment(() => handler.run(calls))) };
    case 'receiving':
      return {
        upload: (input, bytes, context) => meaningfully(() => runUpload(repeatable, handler, input, bytes, context)),
      };
    case 'sending':
      return {
        download: (input, context) =>
          meaningfully(async () => {
            await enterReading(repeatable.operation, input, undefined, context);
            return await handler.read(input, context);
          }),
      };
  }
}

type AnyContext = CallContext<ErrorCode>;

/** Nobody reads what is audited unless the entry is stored. */
async function enterReading(operation: Operation, input: unknown, answer: unknown, context: AnyContext): Promise<void> {
  if (!operation.audit) return;
  // The same in all attempts: if the reply to a commit was lost, the next one finds it stored.
  const id = uuidv7();
  try {
    await commitAlone(async ({ writes }) => enterOperation(operation, context, { input, answer, writes, id }));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
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

/** A database that is unavailable or late is reported as such; everything else is rethrown unchanged. */
async function meaningfully<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw databaseFailure(error) ?? error;
  }
}
