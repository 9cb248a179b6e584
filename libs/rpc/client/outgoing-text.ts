import type { Operation } from '@worktrack/contracts/operation';
import { type CallText, callText } from '../message/envelope.ts';
import type { CallOptions, CallTrace } from '../types.ts';

/** Throws on an input that JSON cannot represent. */
export function outgoingText(
  { name }: Operation,
  input: unknown,
  { caller, requestId, idempotencyKey, trace: given }: CallOptions,
  trace: CallTrace | undefined,
): CallText {
  const traceparent = (trace ?? given)?.traceparent ?? null;
  return callText(caller ?? null, name, requestId, idempotencyKey ?? null, traceparent, input ?? null);
}
