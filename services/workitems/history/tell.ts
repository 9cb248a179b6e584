import type { EventTypeOf, PublishedEvent } from '@worktrack/contracts/events/event';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { WriteScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isHolder, isLive } from '../items/lease.ts';

/** An item as it is after the write, except for its lease, which is the one under which it is written. */
export type ToldItem = Pick<ItemRecord, '_id' | 'taskId' | 'projectId' | 'title' | 'revision' | 'lease'>;

/** With the title of the item: users are told of it by services that know no items. A creation has it anyway. */
const WITH_TITLE: readonly EventTypeOf<'work_item'>[] = [
  'work_item.commented',
  'work_item.moved',
  'work_item.needs_attention',
  'work_item.updated',
];

/** Tells the organization's log what happened to an item. @returns the event's id */
export function tell(
  scope: WriteScope,
  item: ToldItem,
  type: EventTypeOf<'work_item'>,
  data: Readonly<Record<string, unknown>>,
): string {
  const { _id: id, taskId, projectId, title, revision } = item;
  const subject = { kind: 'work_item', id, taskId } as const;
  const said = WITH_TITLE.includes(type) ? { ...data, title } : data;
  return emit(scope, { type, subject, revision, projectId, data: said, actor: actorOf(scope, item) });
}

/** null: the service itself. */
export function actorOf({ caller, by }: WriteScope, { lease }: Pick<ToldItem, 'lease'>): PublishedEvent['actor'] {
  if (by === 'service') return null;
  const { userId, keyId } = caller;
  const isOfHolder = isHolder(lease, keyId) && isLive(lease, new Date());
  const agent = by?.agent ?? (isOfHolder ? lease.agent : undefined);
  if (agent === undefined) return { userId, keyId };
  // Of a claim, which gives the lease itself: the one that it gives.
  const own = by?.agent === undefined || lease?.agent === agent ? lease : undefined;
  const [run, model] = [by?.run ?? own?.run, by?.model ?? own?.report?.model];
  return { userId, keyId, agent, ...(model !== undefined && { model }), ...(run !== undefined && { run }) };
}
