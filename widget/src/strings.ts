import { warn } from './console.ts';
import { fetchFile } from './files.ts';
import { en } from './locales/en.ts';
import type { Strings } from './locales/strings.ts';
import type { Settings } from './settings.ts';

/** English is part of the script; for a visitor with another language its texts are loaded, some 1 kB, from `widget-<language>.json`. */
const LANGUAGES: readonly string[] = ['en', 'de', 'fr', 'es', 'tr', 'ja'];

export interface Language {
  /** The BCP 47 tag that was requested, including the region: sent along with the feedback. */
  readonly tag: string;
  /** The language that is shown. */
  readonly shown: string;
  readonly strings: Strings;
}

/** The first of the preferences (the script tag's, the page's, the visitor's) for which there are texts; else English. */
export function chooseLanguage(wishes: readonly (string | null | undefined)[]): Omit<Language, 'strings'> {
  for (const wish of wishes) {
    const tag = canonical(wish);
    const shown = tag?.split('-', 1)[0] ?? '';
    if (tag && LANGUAGES.includes(shown)) return { tag, shown };
  }
  return { tag: 'en', shown: 'en' };
}

/** With the texts; in English if others cannot be loaded, since a form in English is better than none. */
export async function loadLanguage(settings: Settings): Promise<Language> {
  const chosen = chooseLanguage([settings.locale, document.documentElement.lang, ...navigator.languages]);
  if (chosen.shown === 'en') return { ...chosen, strings: en };
  try {
    const response = await fetchFile(`widget-${chosen.shown}.json`, settings);
    return { ...chosen, strings: { ...en, ...((await response.json()) as Partial<Strings>) } };
  } catch (error) {
    warn(`The words for "${chosen.shown}" could not be loaded: ${error instanceof Error ? error.message : error}`);
    return { tag: chosen.tag, shown: 'en', strings: en };
  }
}

/** `de_CH` and `DE-ch` → `de-CH`; what is not a language tag at all is skipped, since the server would refuse it. */
function canonical(tag: string | null | undefined): string | undefined {
  try {
    return tag ? Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] : undefined;
  } catch {
    return undefined;
  }
}

export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** “1 character left”, “12 characters left”: with the language's plural rule, digits and separators. */
export function count(forms: { readonly one: string; readonly other: string }, n: number, locale: string): string {
  const form = new Intl.PluralRules(locale).select(n) === 'one' ? forms.one : forms.other;
  return fill(form, { n: new Intl.NumberFormat(locale).format(n) });
}

/** “in 42 seconds”, “in 3 minutes”, in the visitor's language. */
export function inTime(seconds: number, locale: string): string {
  const words = new Intl.RelativeTimeFormat(locale);
  return seconds < 90 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
