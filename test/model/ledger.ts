interface Of<Kind extends string> {
  readonly kind: Kind;
  readonly itemId: string;
  readonly keyId: string;
}

/** One acknowledged write, kept outside the system. A version is that of the item after it, if the answer gave it. */
export type Entry =
  | (Of<'created'> & { readonly taskId: string; readonly title: string })
  | (Of<'titled'> & { readonly title: string; readonly version: number })
  /** A move in its own right, each with one event. */
  | (Of<'moved'> & { readonly version?: number })
  /** An update with a column in which the item may already have been, or a claim of a task that may have been in In Progress. */
  | Of<'perhapsMoved'>
  | (Of<'batchMoved'> & { readonly version: number })
  | Of<'deleted'>
  | (Of<'commented'> & { readonly text: string })
  | (Of<'session'> & { readonly sessionId: string; readonly totalTokens: number })
  | (Of<'claimed'> & { readonly token: string; readonly agent: string; readonly version: number });

export class Ledger {
  readonly entries: Entry[] = [];
  /** What was neither done nor refused. */
  readonly failures: string[] = [];
  readonly answers = new Map<string, number>();
  slowest = { durationMs: 0, what: '' };
  #uniques = 0;

  write(entry: Entry): void {
    this.entries.push(entry);
  }

  of<Kind extends Entry['kind']>(kind: Kind): Extract<Entry, { kind: Kind }>[] {
    return this.entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  }

  unique(word: string): string {
    return `${word} ${++this.#uniques}`;
  }

  uniqueTokens(): number {
    return 8 * ++this.#uniques;
  }

  answered(what: string, status: number, durationMs: number, request: string): void {
    const outcome = `${what}: ${status}`;
    this.answers.set(outcome, (this.answers.get(outcome) ?? 0) + 1);
    if (durationMs > this.slowest.durationMs) this.slowest = { durationMs, what: `${status} ${request}` };
  }

  failed(what: string, status: number, error: unknown): void {
    this.failures.push(`${what}: ${status} ${JSON.stringify(error)}`);
  }
}
