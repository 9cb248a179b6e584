import type { Language } from '@worktrack/contracts/people/languages';
import { type Forms, fill, formOf } from './fill.ts';
import { language } from './language.ts';
import { type Texts, texts } from './later-texts.ts';

type Text = string | Forms;
type Table = Readonly<Record<string, Readonly<Record<Language, Text>>>>;

/** The names in `{…}`. */
type Placeholders<T extends Text> = T extends string
  ? T extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Placeholders<Rest>
    : never
  : T extends Forms
    ? 'n' | Placeholders<T['other']>
    : never;

/** A translation with other placeholders than the English text does not compile. */
type Agreeing<T extends Table> = {
  readonly [Name in keyof T]: {
    readonly [L in Language]: [Placeholders<T[Name][L]>] extends [Placeholders<T[Name]['en']>] ? T[Name][L] : never;
  };
};

type Words<T extends Table> = {
  readonly [Name in keyof T]: [Placeholders<T[Name]['en']>] extends [never]
    ? string
    : (values: Readonly<Record<Placeholders<T[Name]['en']>, string | number>>) => string;
};

/**
 * The build replaces a table (pack-messages.ts) by the texts of several, or by null if they are loaded later. Then follow the place at which this table's texts
 * begin, and their names.
 */
type Packed = readonly [at?: number, names?: string];

/** By its name, which ends with `(` if it takes values. */
type Word = readonly [name: string, textIn: (language: Language) => Text];

function unpacked(all: Texts, at = 0, names = ''): Word[] {
  return names.split(' ').map((name, nth) => [name, (each) => all[each]?.[at + nth] ?? '']);
}

function written(table: Table): Word[] {
  return Object.entries(table).map(([name, texts]) => {
    const takesValues = typeof texts.en !== 'string' || texts.en.includes('{');
    return [takesValues ? `${name}(` : name, (each) => texts[each]];
  });
}

/**
 * The words of a screen: each a string, or with placeholders a function of their values. A component that reads one is redrawn when the language
 * changes. A missing language does not compile.
 */
export function messages<const T extends Table>(table: T & Agreeing<T>, ...packed: Packed): Words<T> {
  const words = {};
  const all = packed.length > 0 ? unpacked((table as Texts | null) ?? texts, ...packed) : written(table);
  for (const [name, textIn] of all) {
    const get = name.endsWith('(')
      ? () => (values: Readonly<Record<string, string | number>>) =>
          fill(formOf(textIn(language.value), values.n, language.value), values)
      : () => textIn(language.value);
    Object.defineProperty(words, name.replace('(', ''), { get, enumerable: true });
  }
  return words as Words<T>;
}
