import { useState } from 'preact/hooks';
import { useBusy } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { release } from './acts.ts';
import { AnswerForm } from './answer-form.tsx';
import { claimOf, type HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** Which claims are selected: an item that another agent has claimed since is not. */
export interface Selection {
  has(item: HeldItem): boolean;
  set(items: readonly HeldItem[], isSelected: boolean): void;
}

export function useSelection(): Selection {
  const [claims, setClaims] = useState<ReadonlySet<string>>(new Set());
  return {
    has: (item) => claims.has(claimOf(item)),
    set: (items, isSelected) =>
      setClaims((before) => {
        const named = new Set(items.map(claimOf));
        return new Set(isSelected ? [...before, ...named] : [...before].filter((claim) => !named.has(claim)));
      }),
  };
}

interface SelectProps {
  /** What is selected, in words. */
  readonly what: string;
  readonly items: readonly HeldItem[];
  readonly selection: Selection;
}

export function Select({ what, items, selection }: SelectProps) {
  const count = items.filter(selection.has).length;
  return (
    <input
      type="checkbox"
      aria-label={words.select({ what })}
      checked={count === items.length}
      indeterminate={count > 0 && count < items.length}
      onChange={({ currentTarget }) => selection.set(items, currentTarget.checked)}
    />
  );
}

interface SelectedProps {
  readonly items: readonly HeldItem[];
  readonly selection: Selection;
}

/** What can be done with all that are selected, at once. */
export function Selected({ items, selection }: SelectedProps) {
  const chosen = items.filter(selection.has);
  const { isBusy, run } = useBusy(words.title);
  if (chosen.length === 0) return null;
  const areAsking = chosen.every(({ lease }) => lease.state === 'awaiting_input');
  return (
    <section class="panel stack agents-selected" aria-label={words.selected({ n: chosen.length })}>
      <div class="row">
        <p role="status">{words.selected({ n: chosen.length })}</p>
        <Button text={words.release} aria-disabled={isBusy} onClick={() => void run(() => release(chosen))} />
        <Button look="quiet" text={words.selectNone} onClick={() => selection.set(chosen, false)} />
      </div>
      {areAsking && <AnswerForm items={chosen} />}
    </section>
  );
}
