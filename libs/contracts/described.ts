import { z } from 'zod';

/**
 * What the OpenAPI document says about a schema beyond zod's own knowledge. `tools/list` has no room for it: patterns are long, and bounds of lists are never
 * met there. What many fields have in common is said once, in the instructions.
 */
export const described = z.registry<{
  readonly pattern?: string;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}>();

/** One pattern that accepts all values of these regular expressions, each of which matches a whole value. */
export function anyOf(...expressions: readonly RegExp[]): string {
  return `^(?:${expressions.map(({ source }) => source.replace(/^\^|\$$/g, '')).join('|')})$`;
}
