import { distance } from 'fastest-levenshtein';

/** Shorter prefixes are meaningless. */
const MIN_PREFIX_LENGTH = 3;
/** Shorter parts are in everything: `updatedAfter` has a date. */
const MIN_PART_LENGTH = 5;
/** No name is close to anything longer, which would be slow to compare: a body has room for a million characters. */
const MAX_LENGTH = 100;

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The name that was probably meant; `undefined` if none is close, since a wrong guess misleads.
 * - One that is equal except for case and separators (`project_id`).
 * - The only one with this prefix (`desc`) or this part (`waiting` of `awaiting_input`).
 * - The closest by edit distance, with at most one edit per three characters.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = bare(name);
  if (wanted === '') return undefined;
  const same = known.find((candidate) => bare(candidate) === wanted);
  if (same) return same;
  if (wanted.length >= MIN_PREFIX_LENGTH) {
    const beginning = known.filter((candidate) => bare(candidate).startsWith(wanted));
    if (beginning.length === 1) return beginning[0];
  }
  if (wanted.length >= MIN_PART_LENGTH) {
    const having = known.filter((candidate) => bare(candidate).includes(wanted));
    if (having.length === 1) return having[0];
  }
  let best: string | undefined;
  let bestDistance = Math.ceil(wanted.length / 3) + 1;
  for (const candidate of known) {
    const edits = distance(wanted, bare(candidate));
    if (edits < bestDistance) {
      best = candidate;
      bestDistance = edits;
    }
  }
  return best;
}
