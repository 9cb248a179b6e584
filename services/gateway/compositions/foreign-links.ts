import type { CallOptions } from '@worktrack/rpc/types';
import type { Clients } from '../clients.ts';

interface Linked {
  readonly linkedWorkItemIds: readonly string[];
}

/** What one call of `workItems.resolve` takes. */
const MAX_RESOLVED = 100;

/**
 * Feedback names the ideas that it is linked to. The feedback service does not know which of them exist for a caller that is limited to projects, so the others
 * are left out here.
 */
export async function withoutForeignLinks<Output>(
  output: Output,
  { workitems }: Pick<Clients, 'workitems'>,
  { idempotencyKey: _, caller, ...reading }: CallOptions,
): Promise<Output> {
  // The gateway's own query, from which the caller learns only which ideas exist: reading feedback needs no permission on work items.
  const asker = caller && { ...caller, permissions: ['work-items:read' as const] };
  const items = linkedAmong(output);
  const ids = [...new Set(items.flatMap(({ linkedWorkItemIds }) => linkedWorkItemIds))];
  const seen = new Set<string>();
  for (let at = 0; at < ids.length; at += MAX_RESOLVED) {
    const asked = { ids: ids.slice(at, at + MAX_RESOLVED), includeLeafTasks: false };
    const { notFound } = await workitems.call('workItems.resolve', asked, { ...reading, caller: asker });
    for (const id of asked.ids) if (!notFound.includes(id)) seen.add(id);
  }
  const shown = <Item extends Linked>(item: Item): Item => ({
    ...item,
    linkedWorkItemIds: item.linkedWorkItemIds.filter((id) => seen.has(id)),
  });
  if (isLinked(output)) return shown(output);
  return items.length === 0 ? output : { ...output, items: items.map(shown) };
}

function linkedAmong(output: unknown): readonly Linked[] {
  if (isLinked(output)) return [output];
  const { items } = output as { readonly items?: unknown };
  return Array.isArray(items) ? items.filter(isLinked) : [];
}

function isLinked(value: unknown): value is Linked {
  return typeof value === 'object' && value !== null && 'linkedWorkItemIds' in value;
}
