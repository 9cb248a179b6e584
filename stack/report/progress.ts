/** Steps shorter than this are not shown. */
const SHOW_AFTER_MS = 1_000;
/** How often a running step reports if lines cannot be rewritten. */
const REPEAT_EVERY_S = 15;

/** A terminal, a log file, or both. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): void;
  /** The same without what stays: for a sink that is a log, too. */
  show?(text: string): void;
}

/** What a person sees during startup: permanent lines, and steps that appear if they take longer than a second. */
export class Progress {
  readonly #out: Sink;
  readonly #active = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #rewritable = '';

  constructor(out: Sink) {
    this.#out = out;
  }

  line(text: string): void {
    this.#erase();
    this.#out.write(`${text}\n`);
  }

  /** For secrets: a line that no log keeps. */
  secret(text: string): void {
    this.#erase();
    if (this.#out.show) this.#out.show(`${text}\n`);
    else this.#out.write(`${text}\n`);
  }

  /** @param title as in `Starting RabbitMQ`; unique among the steps in progress */
  async step<T>(title: string, work: () => Promise<T>): Promise<T> {
    const startedAtMs = Date.now();
    this.#active.set(title, startedAtMs);
    this.#timer ??= setInterval(() => this.#show(), SHOW_AFTER_MS);
    try {
      const result = await work();
      const tookMs = Date.now() - startedAtMs;
      if (tookMs >= SHOW_AFTER_MS) this.line(`${title}: done in ${(tookMs / 1000).toFixed(1)} s`);
      return result;
    } finally {
      this.#active.delete(title);
      if (this.#active.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
        this.#erase();
      }
    }
  }

  #show(): void {
    const now = Date.now();
    const shown = [...this.#active]
      .map(([title, startedAtMs]) => ({ title, seconds: Math.round((now - startedAtMs) / 1000) }))
      .filter(({ seconds }) => seconds >= SHOW_AFTER_MS / 1000);
    if (this.#out.isTTY) {
      this.#erase();
      this.#rewritable = shown.map(({ title, seconds }) => `${title} … ${seconds} s`).join(', ');
      // A line that wraps could not be erased.
      this.#out.write(this.#rewritable.slice(0, (this.#out.columns || 80) - 1));
    } else {
      for (const { title, seconds } of shown) {
        if (seconds === 1) this.line(`${title} …`);
        else if (seconds % REPEAT_EVERY_S === 0) this.line(`${title} … ${seconds} s`);
      }
    }
  }

  #erase(): void {
    if (this.#rewritable !== '') this.#out.write('\r\x1b[K');
    this.#rewritable = '';
  }
}
