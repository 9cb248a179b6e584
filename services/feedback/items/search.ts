/** Unicode words, without case and accents. */
function words(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/**
 * What is stored to be searched in: each word after a space, so that a search for the beginning of a word is one for ` word`. The text is read
 * item by item, not found by an index as work items are (services/workitems/search): the entries of one item would cost the database 25 times
 * what storing the item does (`npm run bench -- inbox`), which a burst of submissions would have to pay, for searches that are few.
 */
export function searchTextOf(...texts: readonly (string | null)[]): string {
  return ` ${words(texts.filter((text) => text !== null).join(' ')).join(' ')}`;
}

/**
 * One pattern per word of the query, each to be found in the stored text: each word is the beginning of some word there.
 * @returns none for a query without any word, which asks for nothing
 */
export function searchPatterns(query: string): RegExp[] {
  // Letters and digits alone, so nothing in it is of meaning in a pattern.
  return words(query).map((word) => new RegExp(` ${word}`));
}
