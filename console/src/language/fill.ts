import type { Language } from '@worktrack/contracts/people/languages';
import { formatter, number } from './format.ts';

/** Text that depends on a number `{n}`: “1 card”, “12 cards”. A language without plurals has only `other`. */
export interface Forms {
  readonly one?: string;
  readonly other: string;
}

/** Characters that reverse the direction of text: in a name they would reverse the rest of the sentence. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

/** Puts values into `{…}`; numbers as the visitor writes them. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? number(value) : withoutDirections(value);
  });
}

/** The form that the language uses with this number. */
export function formOf(text: string | Forms, n: string | number | undefined, language: Language): string {
  if (typeof text === 'string') return text;
  const rule = formatter(`plural ${language}`, () => new Intl.PluralRules(language)).select(Number(n));
  return rule === 'one' ? (text.one ?? text.other) : text.other;
}
