import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { JSX } from 'preact';
import { PriorityIcon } from './item-icons.tsx';
import { itemWords } from './item-words.ts';
import { CHOICES, type ChosenField } from './plain-fields.ts';

type Value = (typeof CHOICES)[ChosenField]['values'][number];
/** The value is empty for none. */
type Choice = readonly [value: Value | '', name: string, icon?: JSX.Element];

export const wordOf = (value: Value | null): string => (value === null ? '–' : itemWords[value]);

export function choiceOf(field: ChosenField, value: Value | null): Choice {
  if (value === null || field !== 'priority') return [value ?? '', wordOf(value)];
  return [value, wordOf(value), <PriorityIcon key={value} priority={value as Priority} isNamed={false} />];
}

/** What a field can be set to, in lists of options. */
export function choicesOf(field: ChosenField): readonly Choice[] {
  const { values, initial }: { readonly values: readonly Value[]; readonly initial: Value | null } = CHOICES[field];
  return [...(initial === null ? [null] : []), ...values].map((value) => choiceOf(field, value));
}

export const changeTo = (field: ChosenField, value: Choice[0]) =>
  ({ [field]: value || null }) as Partial<Pick<WorkItem, ChosenField>>;
