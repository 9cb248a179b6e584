import { OperationError } from '@worktrack/contracts/errors';
import { expect } from 'vitest';

/** What a call failed with, which must be an OperationError. */
export async function failure(call: Promise<unknown>): Promise<OperationError> {
  const outcome = await call.then(
    (value) => value,
    (error) => error,
  );
  expect(outcome).toBeInstanceOf(OperationError);
  return outcome as OperationError;
}
