/** A startup failure that is not the program's fault: shown as one line, without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
