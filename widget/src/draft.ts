import type { Category } from '@worktrack/contracts/feedback/records';
import type { Attempt, Attempts } from './attempt.ts';
import { CATEGORIES } from './service.ts';

/** What was typed and not yet delivered. */
export interface Draft {
  readonly message: string;
  /** undefined: none was chosen. */
  readonly category: Category | undefined;
  readonly email: string;
  readonly attempt?: Attempt | undefined;
}

export const EMPTY_DRAFT: Draft = { message: '', category: undefined, email: '' };

/**
 * The draft in the tab's session storage: it survives reloads and navigating the site, and ends with the tab.
 * A page may have no storage (a sandboxed frame, cookies refused); then the draft lives as long as the page.
 */
export class DraftStore implements Attempts {
  readonly #key: string;
  #draft = EMPTY_DRAFT;

  constructor(publicKey: string) {
    this.#key = `worktrack-feedback:${publicKey}`;
    this.reload();
  }

  /** As it is in the storage: another page of the site may have changed it. */
  reload(): void {
    this.#store((storage) => {
      this.#draft = draftOf(JSON.parse(storage.getItem(this.#key) ?? '{}') ?? {});
    });
  }

  get current(): Draft {
    return this.#draft;
  }

  get attempt(): Attempt | undefined {
    return this.#draft.attempt;
  }

  keep(attempt: Attempt | undefined): void {
    this.update({ attempt });
  }

  update(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change };
    this.#store((storage) => storage.setItem(this.#key, JSON.stringify(this.#draft)));
  }

  clear(): void {
    this.#draft = EMPTY_DRAFT;
    this.#store((storage) => storage.removeItem(this.#key));
  }

  #store(use: (storage: Storage) => void): void {
    try {
      use(sessionStorage);
    } catch {
      // Refused, full, or not ours to read: the draft in memory is still there.
    }
  }
}

function draftOf({ message, category, email, attempt }: Partial<Draft>): Draft {
  return {
    message: typeof message === 'string' ? message : '',
    category: CATEGORIES.find((known) => known === category),
    email: typeof email === 'string' ? email : '',
    ...(typeof attempt?.key === 'string' && {
      attempt: { key: attempt.key, of: String(attempt.of), uncertain: attempt.uncertain === true },
    }),
  };
}
