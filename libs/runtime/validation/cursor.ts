import { createHash } from 'node:crypto';
import type { Fail, OperationError } from '@worktrack/contracts/errors';
import type { z } from 'zod';

const CHECK_BYTES = 9;

/**
 * The place where a list continues, with a checksum over the place and the list. The checksum detects a cursor of another list, or one that was truncated or
 * mistyped. It has no key: a forged cursor leads only to a page that its author may read anyway. So its content is input like any other, and `readCursor`
 * checks it.
 * @param list what identifies the list
 */
export function writeCursor(place: unknown, list: unknown): string {
  const payload = JSON.stringify(place);
  return Buffer.concat([checkOf(payload, list), Buffer.from(payload)]).toString('base64url');
}

/** @returns undefined for anything but a cursor of this list with a place of this shape */
export function readCursor<Shape extends z.ZodType>(
  cursor: string,
  list: unknown,
  shape: Shape,
): z.output<Shape> | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(CHECK_BYTES).toString();
  if (bytes.toString('base64url') !== cursor || !bytes.subarray(0, CHECK_BYTES).equals(checkOf(payload, list))) {
    return undefined;
  }
  try {
    return shape.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

/** To be thrown for what `readCursor` does not know. @param same what has to be as it was for the earlier page */
export function unknownCursor(fail: Fail<'VALIDATION_FAILED'>, same = 'filters'): OperationError {
  const message = `must be the nextCursor of an earlier page of this list, with the same ${same}`;
  return fail('VALIDATION_FAILED', `cursor ${message}.`, { details: [{ path: 'cursor', message }] });
}

const checkOf = (payload: string, list: unknown) =>
  createHash('sha256')
    .update(JSON.stringify([payload, list]))
    .digest()
    .subarray(0, CHECK_BYTES);
