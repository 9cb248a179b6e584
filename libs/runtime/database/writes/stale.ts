/** What a rule has concluded from one document, by the fields that it stated. */
export interface Statement {
  readonly namespace: string;
  readonly filter: Readonly<Record<string, unknown>>;
}

/** What a rule relied on no longer holds: its call must run again from the start. */
export class Stale extends Error {
  /** What was found to be no longer so, if it is known. */
  readonly untrue: Statement | undefined;
  constructor(message?: string, untrue?: Statement) {
    super(message);
    this.untrue = untrue;
  }
}
