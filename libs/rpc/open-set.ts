/** Given when it begins, in that order. */
interface Numbered {
  id: number;
}

/**
 * What has begun and not ended, in the order in which it began.
 *
 * Not a Map or Set of the things themselves. When the table of one is full of what was removed, V8 makes another, and the old one points to it and to all that was
 * in it at that moment. Once one of these tables has grown old, each next one is taken for alive until the whole heap is collected, and so are the calls in it with
 * all that belongs to them. Here the table has cells, and the cell of what was removed is empty.
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
