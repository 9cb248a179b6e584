const FENCE = /^\s{0,3}(?:>\s?)*(```+|~~~+)/;
const TASK = /^(\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(?=\]\s)/;

/** The text with one of its tasks ticked, or no longer. @param at which one, from 0, as they are shown */
export function taskAt(text: string, at: number): string {
  let fence: string | undefined;
  let found = -1;
  const lines = text.split('\n').map((line) => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence === undefined && mark) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
    else if (fence === undefined && TASK.test(line)) {
      found++;
      if (found === at) return line.replace(TASK, (_, before, box) => before + (box === ' ' ? 'x' : ' '));
    }
    return line;
  });
  return lines.join('\n');
}
