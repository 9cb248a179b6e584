import { type ColumnRole, ROLES } from '@worktrack/contracts/projects/column-roles';
import type { DependencyMet } from '@worktrack/contracts/projects/project';

/** A column's role; null: none. */
export type Role = ColumnRole | null;

const IN_PROGRESS = ROLES.indexOf('in_progress');

/** How far a column is in the order of progress. A column without a role counts as one in progress. */
function progressOf(role: Role): number {
  return role === null ? IN_PROGRESS : ROLES.indexOf(role);
}

/** Nobody has started. */
export function isPending(role: Role): boolean {
  return progressOf(role) < IN_PROGRESS;
}

/** In review or later. */
export function isHandedOver(role: Role): boolean {
  return progressOf(role) > IN_PROGRESS;
}

/** The verdict that a task waits for there. */
export function verdictIn(role: Role): 'review' | 'validation' | undefined {
  if (role === 'review') return 'review';
  return role === 'testing' || role === 'validating' ? 'validation' : undefined;
}

/** Whether what depends on it no longer has to wait. */
export function isMet(role: Role, { dependencyMet = 'review' }: { readonly dependencyMet?: DependencyMet }): boolean {
  return progressOf(role) >= ROLES.indexOf(dependencyMet);
}

export function isDone(role: Role): boolean {
  return role === 'done';
}

export function isInProgress(role: Role): boolean {
  return role === 'in_progress';
}

/** A move out of `in_progress`, by anybody, ends the lease. */
export function endsLease(to: Role): boolean {
  return !isInProgress(to);
}

/** Where work goes next: a board that lacks a step skips it. */
export const HANDED_OVER: readonly ColumnRole[] = ['review', 'testing', 'validating', 'to_document', 'done'];
export const AFTER_REVIEW: readonly ColumnRole[] = ['testing', 'validating', 'to_document', 'done'];
export const AFTER_VALIDATION: readonly ColumnRole[] = ['to_document', 'done'];
