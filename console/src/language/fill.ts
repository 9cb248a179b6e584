import { number } from './format.ts';
import type { Language } from './language.ts';

/** What depends on a number `{n}`: “1 card”, “12 cards”. A language without plurals has `other` alone. */
export interface Forms {
  readonly one?: string;
  readonly other: string;
}

/** Puts values into `{…}`; numbers as the visitor writes them. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? number(value) : value;
  });
}

/** The form that the language uses with this number. */
export function formOf(text: string | Forms, n: string | number | undefined, language: Language): string {
  if (typeof text === 'string') return text;
  const rule = new Intl.PluralRules(language).select(Number(n));
  return rule === 'one' ? (text.one ?? text.other) : text.other;
}
