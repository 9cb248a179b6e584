import { OperationError } from '@worktrack/contracts/errors';
import { echoed } from '@worktrack/runtime/validation/parse';

const MAX_REASON_LENGTH = 200;
const MAX_PATH_KEYS = 20;
/** If none of these is in its text, not even escaped, no key in a body is poisonous. */
const SUSPICIOUS = /__proto__|constructor|\\u00/;

/** Anything else would be stored with replacement characters. A byte order mark, which RFC 8259 (8.1) lets parsers ignore, is left out. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a JSON body, which is UTF-8 whatever `charset` says (RFC 8259, 8.1 and 11). */
export function textOf(body: Uint8Array): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new OperationError('VALIDATION_FAILED', 'The body is not valid UTF-8. Send it encoded as UTF-8.', {
      details: [{ path: '', message: 'must be valid UTF-8' }],
    });
  }
}

/**
 * Parses a JSON body. The keys `__proto__` and `constructor.prototype` are rejected: objects are merged and stored later.
 * An empty body counts as no body: many clients send the content type with every POST.
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, MAX_REASON_LENGTH) : '';
    throw new OperationError('VALIDATION_FAILED', `The body is not valid JSON: ${reason}`, {
      details: [{ path: '', message: 'must be valid JSON' }],
    });
  }
  const path = SUSPICIOUS.test(text) ? poisonedPath(body)?.join('.') : undefined;
  if (path === undefined) return body;
  throw new OperationError('VALIDATION_FAILED', `${path}: this key is not allowed.`, {
    details: [{ path, message: 'is not an allowed key' }],
  });
}

interface Container {
  readonly value: object;
  readonly parent: Container | undefined;
}

/** Without recursion: a mebibyte of brackets is deeper than the stack. By values alone: the names of 80 000 keys are not examined. */
function poisonedPath(body: unknown): string[] | undefined {
  const open: Container[] = [];
  const push = (value: unknown, parent: Container | undefined) => {
    if (typeof value === 'object' && value !== null) open.push({ value, parent });
  };
  push(body, undefined);
  for (let place = open.pop(); place; place = open.pop()) {
    const key = poisonIn(place.value);
    if (key !== undefined) return [...keysTo(place), key].map(echoed).slice(0, MAX_PATH_KEYS);
    for (const inner of Array.isArray(place.value) ? place.value : Object.values(place.value)) push(inner, place);
  }
  return undefined;
}

function poisonIn(value: object): string | undefined {
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  if (!Object.hasOwn(value, 'constructor')) return undefined;
  const maker: unknown = value.constructor;
  const isPoison = typeof maker === 'object' && maker !== null && Object.hasOwn(maker, 'prototype');
  return isPoison ? 'constructor' : undefined;
}

/** Determined from the values, once there is something to report. */
function keysTo(place: Container): string[] {
  const keys: string[] = [];
  for (let at = place; at.parent; at = at.parent) {
    const within = at.parent.value as Readonly<Record<string, unknown>>;
    keys.push(Object.keys(within).find((key) => within[key] === at.value) ?? '');
  }
  return keys.reverse();
}
