import type { Language } from '@worktrack/contracts/people/languages';
import type { Forms } from './fill.ts';
import { language } from './language.ts';

export type Texts = Partial<Record<Language, readonly (string | Forms)[]>>;

/** The build puts the addresses here (pack-messages.ts). */
const FILES = '@files of texts' as unknown as Readonly<Record<Language, string>>;

/** Those that are there. */
export const texts: Texts = {};
const loading: Partial<Record<Language, Promise<void>>> = {};

/**
 * Loads the texts of what is not shown first, which are in a file for each language. Whatever loads code that has some waits for both (parts/page/later.tsx).
 * Not the code itself, with an `await`: Safari before 26 runs what imports such a module before it is done (https://bugs.webkit.org/show_bug.cgi?id=242740).
 */
export function laterTexts(of = language.value): Promise<void> {
  loading[of] ??= load(of);
  return loading[of];
}

async function load(of: Language): Promise<void> {
  try {
    const response = await fetch(FILES[of]);
    if (!response.ok) throw new Error(`The texts could not be loaded (${response.status}).`);
    texts[of] = await response.json();
  } catch (error) {
    delete loading[of];
    throw error;
  }
}
