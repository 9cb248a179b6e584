import type { Caller } from '@worktrack/contracts/caller';
import {
  type ErrorCode,
  type ErrorExtra,
  type ErrorValue,
  IMPLICIT_ERRORS,
  OperationError,
} from '@worktrack/contracts/errors';
import type { Operation, ServiceContract } from '@worktrack/contracts/operation';
import type { RequestItem } from '../message/envelope.ts';
import type { CallContext, Log, RpcHandler, RpcHandlers } from '../types.ts';
import { validationFailed } from './validation.ts';

/** An operation of the contract with its implementation. */
export interface Endpoint {
  readonly operation: Operation;
  readonly handler: RpcHandler<Operation>;
  /** What its handler may fail with. */
  readonly codes: ReadonlySet<ErrorCode>;
}

/** A Map: an operation's name comes from outside, and `constructor` must not match anything. */
export function endpointsOf<C extends ServiceContract>(
  contract: C,
  handlers: RpcHandlers<C>,
): ReadonlyMap<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>();
  for (const operation of Object.values(contract.operations)) {
    const handler = (handlers as Readonly<Record<string, RpcHandler<Operation>>>)[operation.name];
    if (!handler) throw new Error(`The contract of ${contract.name} has ${operation.name}, and no handler is for it.`);
    // A handler's own calls may find a service unavailable (implicit) or run out of time, which is not the handler's fault.
    const codes = new Set<ErrorCode>([
      ...operation.errors,
      ...IMPLICIT_ERRORS,
      'DEADLINE_EXCEEDED',
      'PERMISSION_DENIED',
      // For any write: raised where its effect is recorded.
      ...(operation.effect === 'read' ? [] : (['IDEMPOTENCY_KEY_REUSED'] as const)),
    ]);
    endpoints.set(operation.name, { operation, handler, codes });
  }
  return endpoints;
}

export type Admission = { readonly input: unknown } | { readonly refusal: OperationError };

/** The parsed input of a call that may run, or why it may not. */
export function admit({ operation }: Endpoint, caller: Caller | null, input: unknown): Admission {
  // The gateway has checked the same, but a service does not rely on that.
  const { permissions } = operation;
  if (permissions !== 'internal') {
    if (!caller) return { refusal: new OperationError('PERMISSION_DENIED', `${operation.name} needs a caller.`) };
    const missing = permissions.filter((permission) => !caller.permissions.includes(permission));
    if (missing.length > 0) {
      return { refusal: new OperationError('PERMISSION_DENIED', `This needs ${missing.join(' and ')}.`) };
    }
  }
  const parsed = operation.input.safeParse(input);
  return parsed.success ? { input: parsed.data } : { refusal: validationFailed(parsed.error.issues) };
}

const fail = (code: ErrorCode, message: string, extra?: ErrorExtra) => new OperationError(code, message, extra);

/** Plain fields, so that a context can be extended by spreading it. */
export function contextOf(
  { caller, body, secret }: RequestItem,
  remainingMs: number,
  log: Log,
): CallContext<ErrorCode> {
  const [operation, requestId, idempotencyKey, traceparent] = body;
  return {
    // Absent only for internal operations, whose handlers have no use for it.
    caller: caller as Caller,
    requestId,
    idempotencyKey: idempotencyKey ?? undefined,
    callSecret: secret,
    deadlineAtMs: Date.now() + remainingMs,
    traceparent: traceparent ?? undefined,
    fail,
    log: new CallLog(log, operation, requestId),
  };
}

/** The log with the call's fields. Created with the first line written, which most calls never do. */
class CallLog implements Log {
  readonly #base: Log;
  readonly #operation: string;
  readonly #requestId: string;
  #bound: Log | undefined;

  constructor(base: Log, operation: string, requestId: string) {
    this.#base = base;
    this.#operation = operation;
    this.#requestId = requestId;
  }

  debug(fields: object, message: string): void {
    this.#log.debug(fields, message);
  }
  info(fields: object, message: string): void {
    this.#log.info(fields, message);
  }
  warn(fields: object, message: string): void {
    this.#log.warn(fields, message);
  }
  error(fields: object, message: string): void {
    this.#log.error(fields, message);
  }
  child(bindings: Record<string, unknown>): Log {
    return this.#log.child(bindings);
  }

  get #log(): Log {
    this.#bound ??= this.#base.child({ operation: this.#operation, requestId: this.#requestId });
    return this.#bound;
  }
}

/** What the caller learns about a failure: errors of the contract unchanged, anything else as INTERNAL, with its cause only in the log. */
export function failureOf({ operation, codes }: Endpoint, error: unknown, requestId: string, log: Log): ErrorValue {
  if (error instanceof OperationError && codes.has(error.code)) {
    if (error.cause !== undefined)
      log.warn({ error: error.cause, operation: operation.name, requestId }, 'The handler could not do its work');
    return error.toValue();
  }
  log.error({ error, operation: operation.name, requestId }, 'The handler failed');
  return internalFailure();
}

export function internalFailure(): ErrorValue {
  return { code: 'INTERNAL', message: 'The service failed on this call; its log has the cause under the request id.' };
}
