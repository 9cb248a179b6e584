/** Per command. */
const MAX_ITEMS = 500;

interface Queued<Item, Result> {
  readonly item: Item;
  done(result: Result): void;
  failed(error: unknown): void;
}

/** Carries out what all turns of this process ask for: what comes while a command is under way shares the next one. */
export class Gathered<Item, Result> {
  readonly #carryOut: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #atOnce: number;
  readonly #waiting: Queued<Item, Result>[] = [];
  #underWay = 0;

  /** @param atOnce commands */
  constructor(carryOut: (items: readonly Item[]) => Promise<readonly Result[]>, atOnce: number) {
    this.#carryOut = carryOut;
    this.#atOnce = atOnce;
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, done: resolve, failed: reject });
    if (this.#underWay < this.#atOnce) void this.#carryOutAll();
    return promise;
  }

  async #carryOutAll(): Promise<void> {
    this.#underWay++;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ITEMS);
      try {
        const results = await this.#carryOut(batch.map(({ item }) => item));
        for (const [index, { done }] of batch.entries()) done(results[index] as Result);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#underWay--;
  }
}
