import { useState } from 'preact/hooks';

/** A record as it was when its form was opened: what others make of it meanwhile is no change of the form's. */
export const useOpened = <Of>(record: Of): Of => useState(record)[0];

/** Of what a form gives, what it changes: what others have made of the rest since it was opened stays. */
export function changedIn<Fields extends object>(fields: Fields, before: object): Partial<Fields> {
  const was = new Map(Object.entries(before));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value ?? null) !== JSON.stringify(was.get(name) ?? null);
  return Object.fromEntries(Object.entries(fields).filter(isChanged)) as Partial<Fields>;
}
