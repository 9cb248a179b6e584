/** As many agents as are worth one line instead of one each. */
const MIN_FLEET = 3;

/** A number, or an ID (of a run, a container or a host: hexadecimal, with a digit), and what separates it from the name before it. */
const OWN_PART = /(?:[\s\-_.:/#@([]+(?:\d+|(?=[\da-f-]*\d)[\da-f]{5,}(?:-[\da-f]{4,})*)|\d+)[)\]]?$/iu;

/**
 * What an agent's name has in common with those that were started with it: `nightly` of `nightly-12`, `nightly-12-7f3a9c01` and `nightly (3)`. An agent says nothing else
 * about whom it belongs to: its run is its own, and others may use the same key. Without a part of its own, the whole name is the fleet: one agent with several items.
 */
export function fleetOf(agent: string): string {
  let rest = agent.trimEnd();
  for (;;) {
    const shorter = rest.replace(OWN_PART, '').trimEnd();
    if (shorter === '' || shorter === rest) return rest;
    rest = shorter;
  }
}

/** Agents in the same state: alone, or as a fleet. */
export interface Group<T> {
  /** Absent: one agent, on its own. */
  readonly fleet?: string;
  readonly items: readonly [T, ...T[]];
}

export function isFleet<T>(group: Group<T>): group is Group<T> & { readonly fleet: string } {
  return group.fleet !== undefined;
}

/** Those of a fleet together, in the place of the first of them; a few are shown one by one. */
export function byFleet<T extends { readonly lease: { readonly agent: string } }>(
  items: readonly T[],
): readonly Group<T>[] {
  const fleets = Map.groupBy(items, ({ lease }) => fleetOf(lease.agent));
  return items.flatMap((item): Group<T>[] => {
    const fleet = fleetOf(item.lease.agent);
    const [first, ...others] = fleets.get(fleet) ?? [];
    if (!first || others.length + 1 < MIN_FLEET) return [{ items: [item] }];
    return item === first ? [{ fleet, items: [first, ...others] }] : [];
  });
}
