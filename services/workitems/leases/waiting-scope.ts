import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { Input } from '@worktrack/contracts/operation';
import type { claimWorkItem } from '@worktrack/contracts/work-items/leases';

/** What a claim may take: claims of one scope find the same. */
export interface Scope {
  readonly key: string;
  /** Undefined: of any project. */
  readonly projectId: string | undefined;
  /** The items that the claim names, by what they are called in events; empty: the project's. */
  readonly names: ReadonlySet<string>;
}

const nameOf = (ref: string) => ref.trim().toLowerCase();

export function scopeOf(
  { ids, projectId: given }: Pick<Input<typeof claimWorkItem>, 'ids' | 'projectId'>,
  sessionProjectId: string | undefined,
): Scope {
  const projectId = given ?? sessionProjectId;
  const names = new Set(ids?.map(nameOf));
  return { key: JSON.stringify([projectId, [...names]]), projectId, names };
}

/** Whether a claim of the scope may find something because of the event. */
export function affects({ type, projectId, subject, data }: PublishedEvent, scope: Scope): boolean {
  if (scope.projectId !== undefined && scope.projectId !== projectId && scope.projectId !== subject.id) return false;
  if (type === 'work_item.ready' || 'budget' in data) return true;
  return scope.names.has(nameOf(subject.id)) || scope.names.has(nameOf(subject.taskId ?? ''));
}
