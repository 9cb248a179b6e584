/** The dots and strokes that typed words need not have; not all of `\p{M}`, of which some scripts make their letters. */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * A name as it is compared with what is typed: without case and accents, in every language alike, as the service's search does it (libs/runtime/text/words.ts).
 * `toLocaleLowerCase` would not do: in Turkish it makes “Inbox” something that “inbox” does not find, and `toLowerCase` does the same with “İş” and “iş”.
 */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase().replaceAll('ı', 'i').trim();

const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;

/** Whether a word of a name begins with what was typed, as the service's search finds; in a script without spaces, any part of it does. */
export function hasWord(name: string, typed: string): boolean {
  const [words, wanted] = [name, typed].map((text) => folded(text).replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')) as [
    string,
    string,
  ];
  return UNSPACED.test(wanted) ? words.includes(wanted) : ` ${words}`.includes(` ${wanted.trim()}`);
}

/** Whether a name has what was typed in any place, and nothing typed is in all. */
export const has = (name: string, typed: string): boolean => folded(name).includes(folded(typed));
