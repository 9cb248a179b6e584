import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import { type Forms, fill, formOf } from './fill.ts';
import { language } from './language.ts';

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

/** What the build makes of tables (pack-messages.ts): instead of one, the texts of several; where those of this one begin, and their names. */
type Packed = readonly [at?: number, names?: string];

function unpacked(texts: readonly string[], at = 0, names = ''): [string, Table[string]][] {
  const perLanguage = texts.length / LANGUAGES.length;
  return names.split(' ').map((name, nth) => {
    const inLanguage = LANGUAGES.map((each, before) => {
      const [text = '', other] = (texts[before * perLanguage + at + nth] ?? '').split('|');
      return [each, other === undefined ? text : { ...(text && { one: text }), other }];
    });
    return [name, Object.fromEntries(inLanguage)];
  });
}

/**
 * The words of a screen: each a string, or with placeholders a function of their values. A component that reads one is redrawn when the language
 * changes. All languages are together in one place: that is smaller than one more request, and a missing one does not compile.
 */
export function messages<const T extends Table>(table: T & Agreeing<T>, ...packed: Packed): Words<T> {
  const words = {};
  const all = Array.isArray(table) ? unpacked(table, ...packed) : Object.entries(table as Table);
  for (const [name, texts] of all) {
    const takesValues = typeof texts.en !== 'string' || texts.en.includes('{');
    const inLanguage = takesValues
      ? () => (values: Readonly<Record<string, string | number>>) =>
          fill(formOf(texts[language.value], values.n, language.value), values)
      : () => texts[language.value];
    Object.defineProperty(words, name, { get: inLanguage, enumerable: true });
  }
  return words as Words<T>;
}
