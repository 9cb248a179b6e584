import type { DependencyMet, ItemType, Metadata, Priority } from './records.ts';

/** The tables of the interface, and what is computed from them. */

const PROGRESS = ['Backlog', 'To Do', 'In Progress', 'Review', 'Testing', 'Validating', 'To Document', 'Done'];
export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'medium', 'low'];
export const LETTERS: Readonly<Record<ItemType, string>> = {
  task: 'T',
  story: 'S',
  feature: 'F',
  epic: 'E',
  idea: 'I',
};
export const PARENTS: Readonly<Record<ItemType, readonly ItemType[]>> = {
  epic: [],
  idea: [],
  feature: ['epic'],
  story: ['feature'],
  task: ['epic', 'feature', 'story', 'task', 'idea'],
};
export const MAX_TREE_LEVELS = 20;
export const EARLIER_REVIEWS = 20;
/** Other names that say a step. */
const ALSO: Readonly<Record<string, string>> = {
  ...{ Doing: 'In Progress', Yapılacak: 'To Do', Überprüfung: 'Review', QA: 'Testing', Shipped: 'Done', 完了: 'Done' },
};
export const NAMES = [...PROGRESS.filter((name) => name !== 'In Progress'), ...Object.keys(ALSO), 'Waiting', 'Paused'];
/** What a new column of this name is for. */
export const stepOf = (name: string) => ALSO[name] ?? name;
/** Where work goes that was done, reviewed, or validated: the first that there is. */
export const HANDED_OVER = PROGRESS.slice(3);
export const AFTER_REVIEW = PROGRESS.slice(4);
export const AFTER_VALIDATION = PROGRESS.slice(6);

/** A column for anything else counts as `In Progress`. */
const progressOf = (name: string) => PROGRESS.indexOf(PROGRESS.includes(name) ? name : 'In Progress');
export const isPending = (name: string) => progressOf(name) < progressOf('In Progress');
const MET: Readonly<Record<DependencyMet, string>> = { review: 'Review', testing: 'Testing', done: 'Done' };
export const isMet = (name: string, from: DependencyMet) => progressOf(name) >= progressOf(MET[from]);
export const isHandedOver = (name: string) => progressOf(name) >= progressOf('Review');

/** Deep for objects; anything else is replaced, and null removes. */
export function merge(current: Metadata, patch: Metadata): Metadata {
  const merged = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? merge(isObject(merged[key]) ? merged[key] : {}, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
