import type { Gates, Who } from './records.ts';
import { isHandedOver } from './tables.ts';

/** What the interface says of gates, in the words of the steps that columns are for. */

/** Whether a verdict does not fit: it is warned of, or refused where gates are enforced. */
export function isMisfit(
  kind: 'review' | 'validation',
  { step, who }: { readonly step: string; readonly who: readonly (Who | null)[] },
  { by, isPass, hasResults }: { readonly by: Who; readonly isPass: boolean; readonly hasResults: boolean },
): boolean {
  const isThere = kind === 'review' ? step === 'Review' : step === 'Testing' || step === 'Validating';
  const isOwn = who.some((one) => one?.key === by.key || one?.user === by.user);
  return !isThere || (isPass && isOwn) || !hasResults;
}

/** Whether only a verdict, or the completion of the work, leads there: a move by hand is refused where gates are enforced. */
export function isBarred(from: string, to: string, hasReview: boolean): boolean {
  if (from === to) return false;
  if (from === 'Review') return true;
  if (from === 'Testing') return to !== 'Validating';
  if (from === 'Validating') return true;
  return hasReview && !isHandedOver(from) && isHandedOver(to) && to !== 'Review';
}

export const GATES: readonly Gates[] = ['warn', 'enforce'];
