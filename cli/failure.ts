/** What the shell is told. Documented in docs/cli.md. */
export const EXIT = { refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends the command with one line on standard error that says what to do. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[kind];
  }
}
