/** A step takes some 30 µs and leads to as much in the parts around it, so a turn of the event loop stays in the milliseconds. */
const STEPS_PER_TURN = 16;

/** Of a submission: its shape is looked at and it is counted; it is refused or handed over; it is answered. */
export type Step = 'check' | 'decide' | 'answer';

interface Waiting {
  readonly arrival: number;
  readonly go: () => void;
}

/**
 * Keeps a burst of submissions from holding up everybody else at its gateway.
 *
 * The event loop works on all that has arrived before it turns. With hundreds of connections that submit, each such turn is tens of
 * milliseconds, and any other call waits for several of them: at its request, at the answer of Redis, at that of its service. So a
 * submission passes by here before each of its own steps. Once a turn has had its share the rest waits for the next ones, in order, while
 * everything else is worked on as it arrives. Nothing is refused, and without a burst nothing waits: not even for the end of a turn.
 *
 * Those that wait before the same step go together, so that what they ask Redis and the feedback service still goes in one message.
 * The cost is smaller messages to the feedback service, so more of them. Measured by `npm run bench -- burst`: see docs/feedback.md, "Load".
 */
export class Turns {
  readonly #perTurn: number;
  readonly #afterTurn: (work: () => void) => void;
  /** Before each step, in the order of their arrival. */
  readonly #waiting: Readonly<Record<Step, Waiting[]>> = { check: [], decide: [], answer: [] };
  #arrivals = 0;
  #left: number;
  #scheduled = false;

  /** @param afterTurn has its argument run once the event loop has looked for what else there is */
  constructor(perTurn = STEPS_PER_TURN, afterTurn: (work: () => void) => void = setImmediate) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
    this.#afterTurn = afterTurn;
  }

  /** Resolves when the step may be taken. */
  async pass(step: Step): Promise<void> {
    this.#schedule();
    if (this.#left > 0) this.#left--;
    else await new Promise<void>((go) => this.#waiting[step].push({ arrival: this.#arrivals++, go }));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#afterTurn(() => this.#begin());
  }

  #begin(): void {
    this.#scheduled = false;
    this.#left = this.#perTurn;
    for (let queue = this.#longestWaiting(); queue && this.#left > 0; queue = this.#longestWaiting()) {
      const going = queue.splice(0, this.#left);
      this.#left -= going.length;
      for (const { go } of going) go();
    }
    if (this.#left < this.#perTurn) this.#schedule();
  }

  #longestWaiting(): Waiting[] | undefined {
    const queues = Object.values(this.#waiting).filter(({ length }) => length > 0);
    return queues.toSorted(([a], [b]) => (a as Waiting).arrival - (b as Waiting).arrival)[0];
  }
}
