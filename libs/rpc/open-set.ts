/** Given when it begins, in that order. */
interface Numbered {
  id: number;
}

/**
 * Things that have begun and not ended, in the order in which they began.
 *
 * Not a Map or Set of the things themselves. When the table of one is full of removed entries, V8 makes another, and the old one points to it and to all its
 * contents at that moment. Once such a table has grown old, each following one counts as alive until the whole heap is collected. So do the calls in it, with
 * all that belongs to them. Here the table has cells, and a removed thing leaves an empty cell.
 */
export class OpenSet<T extends Numbered> {
  readonly #cells = new Map<number, { value: T | undefined }>();
  #lastId = 0;

  get size(): number {
    return this.#cells.size;
  }

  add(value: T): void {
    value.id = ++this.#lastId;
    this.#cells.set(value.id, { value });
  }

  get(id: number): T | undefined {
    return this.#cells.get(id)?.value;
  }

  /** @returns whether it was there */
  delete({ id }: T): boolean {
    const cell = this.#cells.get(id);
    if (!cell) return false;
    cell.value = undefined;
    return this.#cells.delete(id);
  }

  /** What ends meanwhile is left out, and what begins is included. */
  *[Symbol.iterator](): Generator<T> {
    for (const { value } of this.#cells.values()) if (value) yield value;
  }
}
