/** What stops a start and is no fault of the program: shown as its one line, without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
