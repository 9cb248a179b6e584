/** Letters that do not decompose into a base letter and an accent, though people read them that way. */
const STROKED: Readonly<Record<string, string>> = {
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
};

/**
 * Combining marks of Latin, Greek and Cyrillic, and the vowel points of Hebrew and Arabic, which people leave out at will. Not all of `\p{M}`: the
 * vowel signs of Indic and Thai scripts are not accents.
 */
const ACCENTS = new RegExp(
  [
    String.raw`[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`,
    String.raw`[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]`,
    String.raw`[\u0610-\u061a\u064b-\u065f\u0670]`,
  ].join('|'),
  'g',
);
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts written without spaces, and Korean, whose particles and compounds are attached to the words people search for. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/u;
const RUNS = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source.slice(0, -1)})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/**
 * The distinct words of a text, normalized for comparison: without case and accents, compatibility forms unified.
 * A word is a run of letters, marks and digits, so `snake_case` and `foo.bar` are two words each. A run is split where it changes between a script
 * written without spaces and another one: `検索API` is two words.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    // Upper case first: it turns ß into SS.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(/[đðħıłŋøŧæœþς]/g, (letter) => STROKED[letter] ?? letter)
    // Composed again, because people see a Hangul syllable as one character, but in NFKD it is two or three.
    .normalize('NFC');
  return [...new Set((folded.match(WORD) ?? []).flatMap((run) => run.match(RUNS) ?? []))];
}

const isUnspaced = (word: string) => UNSPACED.test(word);

/** Whether a query word (from wordsOf) matches a text word: as its prefix, or in an unspaced script as any part. */
export function finds(wanted: string, word: string): boolean {
  return isUnspaced(wanted) ? word.includes(wanted) : word.startsWith(wanted);
}

/** The lengths (in code points) of indexed prefixes. A longer one is looked up by the longest of these, then compared in full. */
const PREFIX_LENGTHS = [1, 2, 3, 5] as const;
/** For text written without spaces, every part of this length is indexed. A longer word is looked up by all of its parts, then compared in full. */
const PART_LENGTHS = [1, 2] as const;

export interface SearchEntry {
  /** The lookup keys: prefixes of words, and parts of words written without spaces. */
  readonly prefixes: string[];
  /** See searchText. */
  readonly words: string;
}

export function searchEntry(...texts: readonly string[]): SearchEntry {
  const words = wordsOf(texts.join('\n'));
  const prefixes = new Set<string>();
  for (const word of words) {
    const characters = [...word];
    if (isUnspaced(word)) {
      for (const length of PART_LENGTHS) for (const part of partsOf(characters, length)) prefixes.add(part);
    } else {
      for (const length of PREFIX_LENGTHS) prefixes.add(characters.slice(0, length).join(''));
    }
  }
  return { prefixes: [...prefixes], words: joined(words) };
}

/** All words of the texts, each preceded by a space: a query's patterns are matched against this. */
export function searchText(...texts: readonly string[]): string {
  return joined(wordsOf(texts.join('\n')));
}

const joined = (words: readonly string[]) => words.map((word) => ` ${word}`).join('');

export interface SearchQuery {
  /** All must be among an entry's prefixes; probably most selective first. Empty: the query has no words, and so finds nothing. */
  readonly prefixes: readonly string[];
  /** All must occur in an entry's words, literally: they contain only letters, marks, digits and spaces, none of which is special in a pattern. */
  readonly parts: readonly string[];
}

/** @param words from wordsOf */
export function searchQuery(words: readonly string[]): SearchQuery {
  const prefixes = new Set<string>();
  const parts = new Set<string>();
  for (const word of words) {
    const characters = [...word];
    const lengths = isUnspaced(word) ? PART_LENGTHS : PREFIX_LENGTHS;
    const indexed = lengths.findLast((length) => length <= characters.length) ?? lengths[0];
    if (isUnspaced(word)) for (const part of partsOf(characters, indexed)) prefixes.add(part);
    else prefixes.add(characters.slice(0, indexed).join(''));
    if (indexed !== characters.length) parts.add(inWords(word));
  }
  return { prefixes: [...prefixes].sort((a, b) => b.length - a.length), parts: [...parts] };
}

/** All of these must occur in a searchText for the query's words to match. */
export const searchParts = (words: readonly string[]): string[] => words.map(inWords);

const inWords = (word: string) => (isUnspaced(word) ? word : ` ${word}`);

function partsOf(characters: readonly string[], length: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from + length <= characters.length; from++) {
    parts.push(characters.slice(from, from + length).join(''));
  }
  return parts;
}
