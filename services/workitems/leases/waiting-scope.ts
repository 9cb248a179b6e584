import type { Caller } from '@worktrack/contracts/caller';
import type { EventType, PublishedEvent } from '@worktrack/contracts/events/event';
import type { Input } from '@worktrack/contracts/operation';
import type { claimWorkItem } from '@worktrack/contracts/work-items/agents/leases';
import { ancestorsOf } from '../items/found-by.ts';
import { findOutlines } from '../items/items.repository.ts';

/** What a claim may take: claims with the same scope find the same. */
export interface Scope {
  readonly key: string;
  /** Undefined: from any project. */
  readonly projectId: string | undefined;
  /** The items that the claim names, by their names in events; empty: the project's. */
  readonly names: ReadonlySet<string>;
}

/** The events after which a claim may find a task, or a wait may end. */
export const AWAITED_EVENTS = [
  'work_item.ready',
  // For a task that is itself named, which may have others below it and so is not what events call ready; and budgets of items.
  'work_item.updated',
  'work_item.moved',
  'work_item.released',
  'work_item.lease_expired',
  // Its budget.
  'project.updated',
  // With which there is nothing more to wait for.
  'project.deleted',
  'key.revoked',
  'user.updated',
] as const satisfies readonly EventType[];

const nameOf = (ref: string) => ref.trim().toLowerCase();

export function scopeOf(
  { ids, projectId: given }: Pick<Input<typeof claimWorkItem>, 'ids' | 'projectId'>,
  { sessionProjectId, projects }: Pick<Caller, 'sessionProjectId' | 'projects'>,
): Scope {
  const projectId = given ?? sessionProjectId;
  const names = new Set(ids?.map(nameOf));
  return { key: JSON.stringify([projectId, [...names], projects]), projectId, names };
}

/** By the id of each item that has become ready: its names, and those of all that it is below. */
type Ready = ReadonlyMap<string, ReadonlySet<string>>;

export async function readyAmong(organizationId: string, events: readonly PublishedEvent[]): Promise<Ready> {
  const ids = events.filter(({ type }) => type === 'work_item.ready').map(({ subject }) => subject.id);
  const items = await findOutlines({ caller: { organizationId } }, [...new Set(ids)]);
  return new Map(
    items.map((item) => [
      item._id,
      new Set([item, ...ancestorsOf(item)].flatMap(({ _id, taskId }) => [nameOf(_id), nameOf(taskId)])),
    ]),
  );
}

/**
 * Whether a claim of the scope may find something because of the event.
 * @param ready undefined: not known, so that it may be any item's
 */
export function affects(
  { type, projectId, subject, data }: PublishedEvent,
  { names, ...scope }: Scope,
  ready: Ready | undefined,
): boolean {
  if (scope.projectId !== undefined && scope.projectId !== projectId && scope.projectId !== subject.id) return false;
  if (type === 'project.deleted' || 'budget' in data) return true;
  if (type !== 'work_item.ready') return names.has(nameOf(subject.id)) || names.has(nameOf(subject.taskId ?? ''));
  return names.size === 0 || ready === undefined || [...names].some((name) => ready.get(subject.id)?.has(name));
}
