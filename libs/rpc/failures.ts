import { OperationError } from '@worktrack/contracts/errors';

const RETRY_AFTER_SECONDS = 1;

export function unavailable(message: string): OperationError {
  return new OperationError('UNAVAILABLE', `${message} Try again.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

export function deadlineExceeded(operation: string): OperationError {
  const message = `${operation} was not answered in time. Repeat it; a write with the same Idempotency-Key, so that it takes effect once.`;
  return new OperationError('DEADLINE_EXCEEDED', message);
}
