/**
 * Which processes have fallen silent, by the numbers that their heartbeats raise. Heartbeats are counted rather than timed, since the clocks of two machines
 * need not agree. A process looks after each heartbeat of its own, so it takes nobody for silent because the database stalls.
 */
export class Silence {
  readonly #silentLooks: number;
  readonly #seen = new Map<string, { readonly beat: number; looks: number }>();

  /** @param silentLooks how often a heartbeat must be found unchanged to count as stopped */
  constructor(silentLooks: number) {
    this.#silentLooks = silentLooks;
  }

  /** @param beats the others' heartbeats, by process @returns the processes whose heartbeat has stopped, at each look until they are gone */
  look(beats: ReadonlyMap<string, number>): string[] {
    for (const id of this.#seen.keys()) if (!beats.has(id)) this.#seen.delete(id);
    return [...beats].flatMap(([id, beat]) => {
      const seen = this.#seen.get(id);
      if (seen?.beat === beat) return ++seen.looks >= this.#silentLooks ? [id] : [];
      this.#seen.set(id, { beat, looks: 0 });
      return [];
    });
  }
}
