import { diffArrays } from 'diff/lib/diff/array.js';
import { useMemo } from 'preact/hooks';
import { locale } from '../../language/language.ts';

/** Texts that differ in more words than this are shown one after the other: it takes long to find what they have in common, and says little. */
const MAX_DIFFERENCES = 400;
/** What is the same is cut to this many characters at each side of a change. */
const SHOWN_AROUND = 60;

interface TextDiffProps {
  readonly from: string;
  readonly to: string;
}

/** What was taken from a text and what was added to it, in words, with some of what is around each change. */
export function TextDiff({ from, to }: TextDiffProps) {
  const parts = useMemo(() => partsOf(from, to), [from, to]);
  return (
    <div class="text-diff">
      {parts.map(({ value, added, removed }, at) => {
        const text = value.join('');
        if (removed) return <del key={at}>{text}</del>;
        if (added) return <ins key={at}>{text}</ins>;
        return shortened(text, at === 0, at === parts.length - 1);
      })}
    </div>
  );
}

interface Part {
  readonly value: readonly string[];
  readonly added: boolean;
  readonly removed: boolean;
}

function partsOf(from: string, to: string): readonly Part[] {
  // A word is not what is between spaces in every language.
  const segmenter = new Intl.Segmenter(locale.value, { granularity: 'word' });
  const [before, after] = [from, to].map((text) => [...segmenter.segment(text)].map(({ segment }) => segment)) as [
    string[],
    string[],
  ];
  return (
    diffArrays(before, after, { maxEditLength: MAX_DIFFERENCES }) ?? [
      { value: before, added: false, removed: true },
      { value: after, added: true, removed: false },
    ]
  );
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * SHOWN_AROUND) return text;
  return `${isFirst ? '' : text.slice(0, SHOWN_AROUND)}…${isLast ? '' : text.slice(-SHOWN_AROUND)}`;
}
