import { randomBytes } from 'node:crypto';
import type { Operation } from '@worktrack/contracts/operation';
import { type CallText, callText } from '../message/envelope.ts';
import type { CallOptions, CallTrace } from '../types.ts';

/** A service seals with them what only this call may be told again: a key of AES-256. */
const SECRET_BYTES = 32;

/** Throws on an input that JSON cannot represent. */
export function outgoingText(
  { name, effect }: Operation,
  input: unknown,
  { caller, requestId, idempotencyKey, trace: given }: CallOptions,
  trace: CallTrace | undefined,
): CallText {
  const traceparent = (trace ?? given)?.traceparent ?? null;
  const secret = effect === 'read' ? undefined : randomBytes(SECRET_BYTES).toString('base64url');
  return callText(caller ?? null, secret, name, requestId, idempotencyKey ?? null, traceparent, input ?? null);
}
