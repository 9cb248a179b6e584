import { signal } from '@preact/signals';

/** What a person is asked before a change is made (asked.tsx). */
export type Question =
  | { readonly kind: 'reason'; readonly what: string; answer(reason: string | undefined): void }
  | { readonly kind: 'anyway'; readonly why: unknown; readonly isMove: boolean; answer(isMeant: boolean): void }
  | { readonly kind: 'deletion'; readonly what: string; readonly text: string; answer(isMeant: boolean): void };

export const question = signal<Question | undefined>(undefined);

/** @returns undefined: it is not to be sent back */
export function askWhy(what: string): Promise<string | undefined> {
  return new Promise((answer) => ask({ kind: 'reason', what, answer }));
}

/** @param why what is in the way, as it was refused @param isMove a gate is in its way */
export function askAnyway(why: unknown, isMove: boolean): Promise<boolean> {
  return new Promise((answer) => ask({ kind: 'anyway', why, isMove, answer }));
}

export function askDeletion(what: string, text: string): Promise<boolean> {
  return new Promise((answer) => ask({ kind: 'deletion', what, text, answer }));
}

/** One after the other: the next is asked once the one before it is answered. */
let waiting: Question[] = [];

function ask(next: Question): void {
  if (question.value) waiting.push(next);
  else question.value = next;
}

export function askNext(): void {
  [question.value, ...waiting] = waiting;
}
