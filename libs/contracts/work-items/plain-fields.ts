import { z } from 'zod';
import { several } from '../several.ts';

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export const Priority = z.enum(PRIORITIES);
export type Priority = z.infer<typeof Priority>;

/**
 * The fields of an item that are stored, shown and told exactly as callers set them. Each is said once: how it is shown, and what it is in a
 * creation, in a change (absent: as it was) and as a filter. CONTRIBUTING.md lists what else a new one needs.
 */
const fields = {
  priority: {
    shown: Priority,
    created: Priority.default('medium'),
    changed: Priority.optional(),
    filter: several(Priority).optional(),
  },
};

type Fields = typeof fields;
type Use = 'shown' | 'created' | 'changed' | 'filter';

const shapeOf = <const U extends Use>(use: U) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[use]])) as {
    [Name in keyof Fields]: Fields[Name][U];
  };

export const plainFields = {
  shown: shapeOf('shown'),
  created: shapeOf('created'),
  changed: shapeOf('changed'),
  filters: shapeOf('filter'),
};

export type PlainField = keyof Fields;
export const PLAIN_FIELDS = Object.keys(fields) as readonly PlainField[];

/** Those of the plain fields that are given. */
export function plainOf<Given extends object>(given: Given): Pick<Given, PlainField & keyof Given> {
  const present = PLAIN_FIELDS.filter((name) => name in given);
  return Object.fromEntries(present.map((name) => [name, given[name as keyof Given]])) as never;
}
