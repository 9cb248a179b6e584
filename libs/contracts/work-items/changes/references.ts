/** What items of one call say of one another, by `#` and a `ref`. */
interface Referring {
  readonly ref?: string | undefined;
  readonly externalId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
}

/** Gets the faults in fields of items. */
export type Tell = (index: number, field: string, message: string) => void;

/** Indexes by ref. */
export type ByRef = ReadonlyMap<string, number>;

function refsOf(items: readonly Referring[], tell: Tell): ByRef {
  const byRef = new Map<string, number>();
  const externalIds = new Map<string, number>();
  for (const [index, { ref, externalId }] of items.entries()) {
    for (const [field, value, seen] of [
      ['ref', ref, byRef],
      ['externalId', externalId, externalIds],
    ] as const) {
      const other = value === undefined ? undefined : seen.get(value);
      if (other !== undefined) tell(index, field, `is that of items.${other}, too`);
      else if (value !== undefined) seen.set(value, index);
    }
  }
  for (const [index, { parentId, dependsOn = [] }] of items.entries()) {
    for (const [field, written] of [
      ['parentId', parentId === undefined ? [] : [parentId]],
      ['dependsOn', dependsOn],
    ] as const) {
      for (const each of written) {
        if (isRef(each) && !byRef.has(each.slice(1)))
          tell(index, field, `no item of this call has the ref ${each.slice(1)}`);
      }
    }
  }
  return byRef;
}
export const isRef = (written: string | undefined): written is string => written?.startsWith('#') === true;
export const indexOf = (byRef: ByRef, written: string | undefined) =>
  isRef(written) ? byRef.get(written.slice(1)) : undefined;

/** @returns the indexes of the items, each after its parent's */
function parentsFirst(items: readonly Referring[], byRef: ByRef, tell: Tell): readonly number[] {
  const order = new Set<number>();
  for (const index of items.keys()) {
    const line: number[] = [];
    for (
      let at: number | undefined = index;
      at !== undefined && !order.has(at);
      at = indexOf(byRef, items[at]?.parentId)
    ) {
      if (line.includes(at)) {
        tell(index, 'parentId', 'a work item cannot be below itself');
        break;
      }
      line.push(at);
    }
    for (const at of line.reverse()) order.add(at);
  }
  return [...order];
}

/** An item above is done only when this one is, so this one cannot wait for it. */
export const aboveFault = (written: string) =>
  `${written} is above the item, and so done only when the item is; name what it really waits for`;

function refuseAncestors(items: readonly Referring[], byRef: ByRef, tell: Tell): void {
  for (const [index, { dependsOn = [] }] of items.entries()) {
    const above = new Set<number>();
    for (let at: number | undefined = index; at !== undefined; ) {
      at = indexOf(byRef, items[at]?.parentId);
      // Those of a circle never end, and are refused already.
      if (at === undefined || at === index || above.has(at)) break;
      above.add(at);
    }
    for (const written of dependsOn) {
      if (above.has(indexOf(byRef, written) ?? -1)) tell(index, 'dependsOn', aboveFault(written));
    }
  }
}

/**
 * Nothing outside of the call can depend on the items that it creates, so a cycle is within it. An item also waits for all items below it. So a task cannot
 * depend on a dependent of its story.
 */
function refuseCycles(items: readonly Referring[], byRef: ByRef, tell: Tell): void {
  const done = new Set<number>();
  const nameOf = (index: number) => (items[index]?.ref === undefined ? `items.${index}` : `#${items[index].ref}`);
  const dependenciesOf = (index: number) => (items[index]?.dependsOn ?? []).map((written) => indexOf(byRef, written));
  const children: number[][] = items.map(() => []);
  for (const [index, { parentId }] of items.entries()) children[indexOf(byRef, parentId) ?? -1]?.push(index);
  const visit = (index: number, path: readonly number[]): void => {
    if (path.includes(index)) {
      const cycle = path.slice(path.indexOf(index));
      const next = (at: number) => cycle[at + 1] ?? index;
      const depending = cycle.filter((each, at) => dependenciesOf(each).includes(next(at)));
      // A cycle of parents alone, or of one dependency on an item above, is refused already.
      if (depending.length < 2 && depending.length < cycle.length) return;
      const steps = cycle.map((each) => `${nameOf(each)} ${depending.includes(each) ? 'depends on' : 'is above'}`);
      tell(depending.at(-1) as number, 'dependsOn', `would create a cycle: ${[...steps, nameOf(index)].join(' ')}`);
      return;
    }
    if (done.has(index)) return;
    for (const other of [...dependenciesOf(index), ...(children[index] ?? [])]) {
      if (other !== undefined) visit(other, [...path, index]);
    }
    done.add(index);
  };
  for (const index of items.keys()) visit(index, []);
}

/**
 * Tells what is wrong with the references within a call.
 * @returns what they name, and the indexes of the items, each after its parent's
 */
export function tellFaultsWithin(items: readonly Referring[], tell: Tell) {
  const byRef = refsOf(items, tell);
  const order = parentsFirst(items, byRef, tell);
  refuseCycles(items, byRef, tell);
  refuseAncestors(items, byRef, tell);
  return { byRef, order };
}

/** As much of it as has its form, of an item that may have faults elsewhere. */
export function referringIn(item: unknown): Referring {
  const { ref, externalId, parentId, dependsOn } = (item ?? {}) as Readonly<Record<keyof Referring, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const list = Array.isArray(dependsOn) ? dependsOn.filter((each) => typeof each === 'string') : undefined;
  return { ref: text(ref), externalId: text(externalId), parentId: text(parentId), dependsOn: list };
}
