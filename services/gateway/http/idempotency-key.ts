import { OperationError } from '@worktrack/contracts/errors';
import { invalid } from '@worktrack/runtime/validation/parse';

/** 1 to 255 printable ASCII characters. */
const ACCEPTABLE = /^[\x20-\x7e]{1,255}$/;

/** @param path the caller's name for the field, used in the refusal's details */
export function checkIdempotencyKey(value: unknown, path: string): string {
  if (typeof value === 'string' && value.trim() !== '' && ACCEPTABLE.test(value)) return value;
  throw invalid([{ path, message: 'must be 1 to 255 printable ASCII characters' }]);
}

/** The `Idempotency-Key` of a request, or `undefined` if it has none. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (Array.isArray(header)) throw new OperationError('VALIDATION_FAILED', 'Send Idempotency-Key once.');
  return checkIdempotencyKey(header, 'Idempotency-Key');
}
