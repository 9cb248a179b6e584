import { type ErrorDetail, OperationError } from '@worktrack/contracts/errors';
import type { Input } from '@worktrack/contracts/operation';
import type { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import type { Tell } from '@worktrack/contracts/work-items/changes/references';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import { invalid } from '@worktrack/runtime/validation/parse';

export type GivenItem = Input<typeof createWorkItems>['items'][number];

/** What is wrong with a call, told all at once. */
export class Faults {
  readonly #details: ErrorDetail[] = [];

  readonly add: Tell = (index, field, message) => {
    this.#details.push({ path: `items.${index}.${field}`, message });
  };

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
      // If this step's reading is outdated, it is no fault.
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
