import type { ErrorDetail } from '@worktrack/contracts/errors';
import { spelledOut } from '@worktrack/runtime/validation/parse';

/** Exit codes, documented in docs/cli.md. */
export const EXIT = { refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends the command with one line on standard error that says what to do. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[kind];
  }
}

/** A refusal's message, and those of its details that the message does not already contain: it names only the first ones. */
export function refusalWords(message: string, details: readonly ErrorDetail[] = []): string {
  const untold = details.map(spelledOut).filter((told) => !` ${message}`.includes(` ${told}`));
  return [message, ...untold].map((words) => (/[.?]$/.test(words) ? words : `${words}.`)).join(' ');
}
