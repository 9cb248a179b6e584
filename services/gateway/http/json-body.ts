import { OperationError } from '@worktrack/contracts/errors';
import { parse } from 'secure-json-parse';

const MAX_REASON_LENGTH = 200;
const MAX_PATH_KEYS = 20;

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

/** Without recursion: a mebibyte of brackets is deeper than the stack. */
function poisonedPath(body: unknown): string[] | undefined {
  const open: { readonly value: unknown; readonly path: Path | undefined }[] = [{ value: body, path: undefined }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const here = { key, parent: path };
      const poisonous =
        key === '__proto__' ||
        (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'));
      if (poisonous) return keysOf(here);
      open.push({ value: inner, path: here });
    }
  }
  return undefined;
}

interface Path {
  readonly key: string;
  readonly parent: Path | undefined;
}

/** The first keys of a path, which may be as deep as the body is long. */
function keysOf(path: Path): string[] {
  const keys: string[] = [];
  for (let at: Path | undefined = path; at; at = at.parent) keys.push(at.key);
  return keys.reverse().slice(0, MAX_PATH_KEYS);
}
