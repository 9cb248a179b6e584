import { faultsOf, invalid, parseInput } from '@worktrack/runtime/validation/parse';
import type { z } from 'zod';

/** What to change of a parameter with one value: the second one makes a list of it, which the caller never wrote. */
export const givenTooOften = ({ length }: readonly unknown[]): string => `is given ${length} times; give it once`;

/** parseInput for a query without lists. @throws OperationError VALIDATION_FAILED */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: unknown): z.output<Schema> {
  const given = (query ?? {}) as Readonly<Record<string, unknown>>;
  if (!Object.values(given).some(Array.isArray)) return parseInput(schema, given);
  throw invalid(
    faultsOf(schema, given).map((fault) => {
      const value = given[fault.path];
      return Array.isArray(value) && fault.path in schema.shape ? { ...fault, message: givenTooOften(value) } : fault;
    }),
  );
}
