import { OperationError } from '@worktrack/contracts/errors';

const RETRY_AFTER_SECONDS = 1;

export function unavailable(message: string): OperationError {
  return new OperationError('UNAVAILABLE', `${message} Try again.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

export function deadlineExceeded(operation: string): OperationError {
  return new OperationError('DEADLINE_EXCEEDED', `${operation} was not answered in time; repeat it with the same key.`);
}
