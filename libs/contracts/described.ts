import { z } from 'zod';

/** What the OpenAPI document says of a schema beside what zod tells of it, and `tools/list` cannot afford to: patterns are long. */
export const described = z.registry<{ readonly pattern: string }>();

/** One pattern for what any of these regular expressions takes, each of which is for a whole value. */
export function anyOf(...expressions: readonly RegExp[]): string {
  return `^(?:${expressions.map(({ source }) => source.replace(/^\^|\$$/g, '')).join('|')})$`;
}

/** As `!/\p{Cc}/u`, in a way that validators of all languages read. */
export const WITHOUT_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
