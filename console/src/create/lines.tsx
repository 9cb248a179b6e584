import { Check } from '../parts/form/check.tsx';
import { TextArea } from '../parts/form/field.tsx';
import { words } from './messages.ts';

/** The most that one call creates (libs/contracts/work-items/changes/create-items.ts). */
const MAX_ITEMS = 100;

/** Titles, one in a line. */
export interface Lines {
  readonly text: string;
  /** Each depends on the one before. */
  readonly isChain: boolean;
}
export const NO_LINES: Lines = { text: '', isChain: false };

interface LinesFieldProps {
  readonly value: Lines;
  readonly rows: number;
  /** How many there may be. */
  readonly max?: number;
  readonly onChange: (value: Lines) => void;
}

/** Several sub-items at once. */
export function LinesField({ value, rows, max = MAX_ITEMS, onChange }: LinesFieldProps) {
  return (
    <>
      <TextArea
        label={words.lines}
        help={words.linesHelp({ n: max })}
        rows={rows}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
      />
      <Check
        label={words.inThisOrder}
        checked={value.isChain}
        onChange={(checked) => onChange({ ...value, isChain: checked })}
      />
    </>
  );
}

/** Beside the item that they are below. */
export const MAX_BELOW = MAX_ITEMS - 1;
export const areTooMany = (lines: Lines, max = MAX_ITEMS): boolean => titlesIn(lines.text).length > max;

/** Without the marks of a list: `- `, `* `, `1. `, `- [ ] `. */
export function titlesIn(text: string): string[] {
  return text.split('\n').flatMap(
    (line) =>
      line
        .trim()
        .replace(/^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '')
        .trim() || [],
  );
}

/** As items of one call. @param place what all of them have in common */
export function itemsOf<Place extends object>({ text, isChain }: Lines, place: Place) {
  return titlesIn(text).map((title, at) => ({
    ...{ ref: String(at), title, ...place },
    ...(isChain && at > 0 && { dependsOn: [`#${at - 1}`] }),
  }));
}
