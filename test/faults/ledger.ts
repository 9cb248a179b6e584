/** One acknowledged write, kept outside the system: the system must show it at the end, once and whole. */
export type Entry =
  | { readonly kind: 'created'; readonly itemId: string; readonly title: string; readonly version: number }
  | { readonly kind: 'updated'; readonly itemId: string; readonly count: number; readonly version: number }
  | { readonly kind: 'moved'; readonly itemId: string; readonly toColumn: string; readonly version: number }
  | { readonly kind: 'commented'; readonly itemId: string; readonly text: string }
  | { readonly kind: 'completed'; readonly itemId: string; readonly sessionId: string; readonly totalTokens: number }
  | { readonly kind: 'submitted'; readonly feedbackId: string; readonly message: string };

export class Ledger {
  readonly entries: Entry[] = [];
  readonly #byItem = new Map<string, Entry[]>();

  write(entry: Entry): void {
    this.entries.push(entry);
    if (entry.kind === 'submitted') return;
    const its = this.#byItem.get(entry.itemId);
    if (its) its.push(entry);
    else this.#byItem.set(entry.itemId, [entry]);
  }

  of<Kind extends Entry['kind']>(kind: Kind): Extract<Entry, { kind: Kind }>[] {
    return this.entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  }

  about<Kind extends Exclude<Entry['kind'], 'submitted'>>(
    kind: Kind,
    itemId: string,
  ): Extract<Entry, { kind: Kind }>[] {
    return this.allAbout(itemId).filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
  }

  allAbout(itemId: string): readonly Entry[] {
    return this.#byItem.get(itemId) ?? [];
  }
}
