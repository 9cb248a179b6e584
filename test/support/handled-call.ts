import type { Caller } from '@worktrack/contracts/caller';
import { type ErrorCode, type ErrorExtra, OperationError } from '@worktrack/contracts/errors';
import type { CallContext } from '@worktrack/rpc/types';
import { createLog } from '@worktrack/runtime/process/logging';
import { uuidv7 } from '@worktrack/runtime/process/uuid';

const DEADLINE_MS = 30_000;
const log = createLog('test', 'silent');

/** What libs/rpc passes to a handler with each call. Without the test runner, for replicas in threads of their own. */
export function contextOf(
  caller: Caller | undefined,
  { idempotencyKey = uuidv7(), ...changes }: Partial<CallContext<ErrorCode>> = {},
): CallContext<ErrorCode> {
  return {
    caller,
    requestId: uuidv7(),
    idempotencyKey,
    deadlineAtMs: Date.now() + DEADLINE_MS,
    traceparent: undefined,
    log,
    fail: (code: ErrorCode, message: string, extra?: ErrorExtra) => new OperationError(code, message, extra),
    ...changes,
  } as CallContext<ErrorCode>;
}

export async function codeOf(call: Promise<unknown>): Promise<ErrorCode | 'ok'> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (error instanceof OperationError) return error.code;
    throw error;
  }
}
