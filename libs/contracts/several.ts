import { z } from 'zod';
import { described } from './described.ts';
import { valuesIn } from './query-values.ts';

const MAX_VALUES = 20;

/**
 * One value of a filter or several, any of which may hold: a list of values, each as it is, or a text with commas (`type=task,story`).
 * @param options.keepsSpaced of names: a comma before a space, or after a backslash (`a\,b`), is part of one, and two backslashes are one
 */
export function several<Value extends z.ZodType<unknown, string>>(
  value: Value,
  options: { keepsSpaced?: boolean } = {},
) {
  const valuesOf = options.keepsSpaced ? valuesIn : (text: string, most: number) => text.split(',', most);
  return z.preprocess(
    // One more than there may be says that there are too many. All are checked before they are counted, and a body has room for a million.
    (given: z.input<Value> | readonly z.input<Value>[]): unknown => {
      if (typeof given === 'string') return valuesOf(given, MAX_VALUES + 1);
      return Array.isArray(given) ? given.slice(0, MAX_VALUES + 1) : given;
    },
    // A refinement: `tools/list` has no room for bounds that nobody meets.
    z
      .array(value)
      .refine(({ length }) => length > 0 && length <= MAX_VALUES, `must be 1 to ${MAX_VALUES} values`)
      .register(described, { minItems: 1, maxItems: MAX_VALUES }),
  );
}
