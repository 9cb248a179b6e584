import { z } from 'zod';
import { Priority } from '../item-values.ts';
import { several } from '../several.ts';

export { PRIORITIES, Priority } from '../item-values.ts';

/** A day without a time, so that it is the same one everywhere. */
export const Day = z.iso.date({ abort: true });
/** Before this, a year was not yet written to its end. */
export const FIRST_DAY = '1900-01-01';
const NewDay = Day.refine((day) => day >= FIRST_DAY, `must be ${FIRST_DAY} or later`);

const MAX_ESTIMATE = 1_000_000;
/** In whatever unit the project counts. */
const Estimate = z.number().min(0).max(MAX_ESTIMATE);

/**
 * The fields of an item that are stored, shown and told exactly as callers set them. Each is declared once: as shown, in a creation, in a change (absent:
 * unchanged) and, if lists are narrowed by its values, as a filter. CONTRIBUTING.md lists what else a new one needs.
 */
const fields = {
  priority: {
    shown: Priority,
    created: Priority.default('medium'),
    changed: Priority.optional(),
    filter: several(Priority).optional(),
  },
  dueDate: { shown: Day.nullable(), created: NewDay.optional(), changed: NewDay.nullable().optional() },
  estimate: { shown: Estimate.nullable(), created: Estimate.optional(), changed: Estimate.nullable().optional() },
};

type Fields = typeof fields;
type Filtered = { [Name in keyof Fields]: Fields[Name] extends { filter: unknown } ? Name : never }[keyof Fields];

const shapeOf = <const U extends 'shown' | 'created' | 'changed'>(use: U) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[use]])) as {
    [Name in keyof Fields]: Fields[Name][U];
  };

const filters = Object.fromEntries(
  Object.entries(fields).flatMap(([name, field]) => ('filter' in field ? [[name, field.filter]] : [])),
) as { [Name in Filtered]: Fields[Name]['filter'] };

export const plainFields = {
  shown: shapeOf('shown'),
  created: shapeOf('created'),
  changed: shapeOf('changed'),
  filters,
};

export type PlainField = keyof Fields;
export const PLAIN_FIELDS = Object.keys(fields) as readonly PlainField[];

/** Those that every tool takes, and that the catalogue of tools has no room to show. */
export const UNLISTED_FIELDS = ['dueDate', 'estimate'] as const satisfies readonly PlainField[];

/** Those by whose values lists are narrowed. */
export const FILTERED_FIELDS = Object.keys(filters) as readonly Filtered[];

/** Those of the plain fields that are given. */
export function plainOf<Given extends object>(given: Given): Pick<Given, PlainField & keyof Given> {
  const present = PLAIN_FIELDS.filter((name) => name in given);
  return Object.fromEntries(present.map((name) => [name, given[name as keyof Given]])) as never;
}
