import { finds, wordsOf } from '@worktrack/runtime/text/words';

const TITLE_WEIGHT = 3;
const DESCRIPTION_WEIGHT = 1;

export interface Relevance {
  /** 0 (nothing) to 1 (every keyword is in the title). */
  readonly score: number;
  /** The keywords that were found, as given. */
  readonly matched: readonly string[];
}

/**
 * How well an item matches keywords. A keyword is found where all of its words are, as in a search;
 * the title weighs more than the description.
 */
export function relevanceTo(keywords: readonly string[]): (item: { title: string; description: string }) => Relevance {
  const wanted = keywords.map((keyword) => ({ keyword, words: wordsOf(keyword) }));
  return ({ title, description }) => {
    const inTitle = wordsOf(title);
    const anywhere = [...inTitle, ...wordsOf(description)];
    let weight = 0;
    const matched: string[] = [];
    for (const { keyword, words } of wanted) {
      if (words.length === 0 || !areIn(words, anywhere)) continue;
      matched.push(keyword);
      weight += areIn(words, inTitle) ? TITLE_WEIGHT : DESCRIPTION_WEIGHT;
    }
    return { score: Math.round((weight / (TITLE_WEIGHT * keywords.length)) * 1_000) / 1_000, matched };
  };
}

function areIn(wanted: readonly string[], words: readonly string[]): boolean {
  return wanted.every((each) => words.some((word) => finds(each, word)));
}
