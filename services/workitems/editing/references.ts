import { type ErrorDetail, OperationError } from '@worktrack/contracts/errors';
import type { Input } from '@worktrack/contracts/operation';
import type { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { invalid } from '@worktrack/runtime/validation/parse';

export type GivenItem = Input<typeof createWorkItems>['items'][number];

/** What is wrong with a call, told all at once. */
export class Faults {
  readonly #details: ErrorDetail[] = [];

  add(index: number, field: string, message: string): void {
    this.#details.push({ path: `items.${index}.${field}`, message });
  }

  /**
   * @param where `field`: what a refusal is about that names none; `shared`: fields that are given once for all, and so refused once
   * @returns undefined if the step is refused, which is kept for later
   */
  async of<Result>(
    index: number,
    step: () => Promise<Result>,
    { field = '', shared = [] }: { readonly field?: string; readonly shared?: readonly string[] } = {},
  ): Promise<Result | undefined> {
    try {
      return await step();
    } catch (error) {
      // What this step read may be outdated: then it is no fault.
      if (!(error instanceof OperationError) || error instanceof Stale) throw error;
      const { details = [{ path: field, message: withoutPeriod(error.message) }] } = error.toValue();
      for (const { path, message } of details) {
        if (!shared.includes(path)) this.#details.push({ path: joined(`items.${index}`, path), message });
        else if (this.#details.every((other) => other.path !== path)) this.#details.push({ path, message });
      }
      return undefined;
    }
  }

  throwIfAny(): void {
    if (this.#details.length > 0) throw invalid(this.#details);
  }
}
const withoutPeriod = (text: string) => text.replace(/\.$/, '');
const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('.');

/** Indexes by ref. */
export type ByRef = ReadonlyMap<string, number>;

export function refsOf(items: readonly GivenItem[], faults: Faults): ByRef {
  const byRef = new Map<string, number>();
  const externalIds = new Map<string, number>();
  for (const [index, { ref, externalId }] of items.entries()) {
    for (const [field, value, seen] of [
      ['ref', ref, byRef],
      ['externalId', externalId, externalIds],
    ] as const) {
      const other = value === undefined ? undefined : seen.get(value);
      if (other !== undefined) faults.add(index, field, `is that of items.${other}, too`);
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
          faults.add(index, field, `no item of this call has the ref ${each.slice(1)}`);
      }
    }
  }
  return byRef;
}
export const isRef = (written: string | undefined): written is string => written?.startsWith('#') === true;
export const indexOf = (byRef: ByRef, written: string | undefined) =>
  isRef(written) ? byRef.get(written.slice(1)) : undefined;

/** @returns the indexes of the items, each after its parent's */
export function parentsFirst(items: readonly GivenItem[], byRef: ByRef, faults: Faults): readonly number[] {
  const order = new Set<number>();
  for (const index of items.keys()) {
    const line: number[] = [];
    for (
      let at: number | undefined = index;
      at !== undefined && !order.has(at);
      at = indexOf(byRef, items[at]?.parentId)
    ) {
      if (line.includes(at)) {
        faults.add(index, 'parentId', 'a work item cannot be below itself');
        break;
      }
      line.push(at);
    }
    for (const at of line.reverse()) order.add(at);
  }
  return [...order];
}

/** Nothing outside of the call can depend on what it creates, so a cycle is within it. */
export function refuseCycles(items: readonly GivenItem[], byRef: ByRef, faults: Faults): void {
  const done = new Set<number>();
  const nameOf = (index: number) => `#${items[index]?.ref}`;
  const visit = (index: number, above: readonly number[]): void => {
    if (above.includes(index)) {
      const cycle = [...above.slice(above.indexOf(index)), index].map(nameOf).join(' depends on ');
      faults.add(above.at(-1) as number, 'dependsOn', `would create a cycle: ${cycle}`);
      return;
    }
    if (done.has(index)) return;
    for (const written of items[index]?.dependsOn ?? []) {
      const dependency = indexOf(byRef, written);
      if (dependency !== undefined) visit(dependency, [...above, index]);
    }
    done.add(index);
  };
  for (const index of items.keys()) visit(index, []);
}
