import type { Failure } from './service.ts';
import type { Receipt } from './submission.ts';

/** What a page can listen to, and what listeners receive. */
export interface WidgetEvents {
  readonly open: undefined;
  readonly close: undefined;
  readonly submitted: Receipt;
  /** It could not be sent, and waits in the browser until it can: `submitted` follows. */
  readonly queued: Failure;
  readonly error: Failure;
}
type Listener<Name extends keyof WidgetEvents> = (detail: WidgetEvents[Name]) => void;

export class Emitter {
  readonly #listeners = new Map<keyof WidgetEvents, Set<Listener<never>>>();

  /** Returns a function that removes the listener. */
  on<Name extends keyof WidgetEvents>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as Listener<Name>)(detail);
      } catch (error) {
        // The page sees its own error; the form continues.
        reportError(error);
      }
    }
  }
}
