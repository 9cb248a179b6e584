import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import { useEffect } from 'preact/hooks';

/** What is being changed here, before the service has answered: boards and lists show it at once. */
export interface Shown {
  readonly id: string;
  readonly fields: Partial<Card>;
}

interface Showing {
  change(all: readonly Shown[]): void;
  /** The change was answered, or refused: only the service knows what is true now. */
  reread(ids: readonly string[]): void;
}

const listeners = new Set<Showing>();

export function showChange(all: readonly Shown[]): void {
  for (const listener of listeners) listener.change(all);
}

export function showTrue(ids: readonly string[]): void {
  for (const listener of listeners) listener.reread(ids);
}

/** For what shows items, while it is mounted. */
export function useShown(showing: Showing): void {
  useEffect(() => {
    listeners.add(showing);
    return () => {
      listeners.delete(showing);
    };
  }, [showing]);
}
