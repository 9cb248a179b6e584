import type { WriteScope } from '../calls/scope.ts';
import { tell } from '../history/tell.ts';
import type { Attention, ItemRecord, Need } from '../items/items.model.ts';

type Item = Pick<
  ItemRecord,
  '_id' | 'taskId' | 'projectId' | 'title' | 'revision' | 'lease' | 'returned' | 'previous' | 'assignee'
>;
type Before = Pick<ItemRecord, 'needs' | 'blocked' | 'assigned'>;

/** Tells the log what an item has begun to need from people: once, by the write that makes it so. */
export function tellAttention(scope: WriteScope, item: Item, before: Before | null, changed: Partial<Attention>): void {
  const say = (data: Readonly<Record<string, unknown>>) => tell(scope, item, 'work_item.needs_attention', data);
  const { needs, blocked, assigned } = changed;
  if (needs) say({ kind: needs.kind, ...DETAILS[needs.kind](item) });
  const known = new Set(before?.blocked?.on.map(({ ref }) => ref));
  const on = (blocked?.on ?? []).filter(({ ref }) => !known.has(ref)).map(({ taskId }) => taskId);
  if (on.length > 0) say({ kind: 'blocked', on });
  if (!assigned) return;
  const person = scope.caller.people?.find(({ name }) => name === item.assignee);
  say({ kind: 'assigned', assignee: item.assignee, ...(person && { userId: person.id }) });
}

const DETAILS: Readonly<Record<Need, (item: Item) => Readonly<Record<string, unknown>>>> = {
  question: ({ lease }) => ({ agent: lease?.agent, question: lease?.question ?? null }),
  review: () => ({}),
  validation: () => ({}),
  returned: ({ returned }) => ({ from: returned?.from, summary: returned?.summary ?? '' }),
  stalled: ({ lease }) => ({ agent: lease?.agent }),
  failed: ({ lease, previous }) => ({ agent: lease?.agent ?? previous?.agent ?? null }),
};
