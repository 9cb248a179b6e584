import { computed, effect, signal } from '@preact/signals';
import { LANGUAGES, type Language } from '@worktrack/contracts/people/languages';
import { keep, kept } from '../kept.ts';

/** What each calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  tr: 'Türkçe',
  ja: '日本語',
};

const KEPT_AS = 'language';

/** The one chosen here before, else the first of the visitor's for which there are texts. */
export const language = signal<Language>(firstOf([kept(KEPT_AS) ?? '', ...navigator.languages]) ?? 'en');

/** For dates and numbers: the visitor's own variant of the language, if any (`de-CH`). */
export const locale = computed(
  () => navigator.languages.find((tag) => tag.split('-', 1)[0] === language.value) ?? language.value,
);

export function chooseLanguage(chosen: Language): void {
  keep(KEPT_AS, chosen);
  language.value = chosen;
}

/** Says it in the page, for screen readers and hyphenation. */
export function tellPage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

function firstOf(tags: readonly string[]): Language | undefined {
  return tags
    .map((tag) => LANGUAGES.find((known) => known === tag.split('-', 1)[0]?.toLowerCase()))
    .find((found) => found !== undefined);
}
