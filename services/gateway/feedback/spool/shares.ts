import type { Submission } from './lane.ts';

type Owner = Pick<Submission, 'organizationId' | 'sourceId'>;

/**
 * What sources and organizations hold of the spool. A source is refused once less would be free than it and its organization hold. So alone it takes a third of
 * the spool, and the sources of one organization together half: there is room left for others, whoever fills it. After the dynamic thresholds of Choudhury and
 * Hahne, https://doi.org/10.1109/90.664262.
 */
export class Shares {
  readonly #bytes = new Map<string, number>();

  isWithin({ organizationId, sourceId }: Owner, bytes: number, freeBytes: number): boolean {
    return this.#of(sourceId) + this.#of(organizationId) + 2 * bytes <= freeBytes - bytes;
  }

  /** @param bytes negative once they are delivered */
  add({ organizationId, sourceId }: Owner, bytes: number): void {
    for (const id of [organizationId, sourceId]) {
      const held = this.#of(id) + bytes;
      if (held === 0) this.#bytes.delete(id);
      else this.#bytes.set(id, held);
    }
  }

  #of(id: string): number {
    return this.#bytes.get(id) ?? 0;
  }
}
