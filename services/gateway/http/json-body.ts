import { OperationError } from '@worktrack/contracts/errors';
import { parse } from 'secure-json-parse';

const MAX_REASON_LENGTH = 200;

/**
 * Parses a JSON body. `__proto__` and `constructor.prototype` as keys are refused: further on, objects are merged and stored.
 * An empty body is no body: many clients send the content type with every POST.
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw explained(text, error);
  }
}

function explained(text: string, error: unknown): OperationError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const reason = error instanceof Error ? error.message.slice(0, MAX_REASON_LENGTH) : '';
    return new OperationError('VALIDATION_FAILED', `The body is not valid JSON: ${reason}`, {
      details: [{ path: '', message: 'must be valid JSON' }],
    });
  }
  const path = poisonedPath(value)?.join('.') ?? '';
  return new OperationError('VALIDATION_FAILED', `${path}: this key is not allowed.`, {
    details: [{ path, message: 'is not an allowed key' }],
  });
}

function poisonedPath(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') return [key];
    if (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
      return [key];
    const deeper = poisonedPath(inner);
    if (deeper) return [key, ...deeper];
  }
  return undefined;
}
