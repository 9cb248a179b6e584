import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { PLAIN_FIELDS } from '../parts/item/plain-fields.ts';

/** What these tell of may begin or end a need; the others do not. */
const ENDING: ReadonlySet<string> = new Set([
  'work_item.needs_attention',
  'work_item.commented',
  'work_item.moved',
  'work_item.updated',
  'work_item.deleted',
  'work_item.claimed',
  'work_item.released',
  'work_item.progress',
  'project.updated',
  'user.updated',
]);
export const changesNeeds = ({ type }: LoggedEvent): boolean => ENDING.has(type);

/** A change of these alone begins and ends none, though the list shows some of them. */
const NEEDED_BY_NOBODY: ReadonlySet<string> = new Set(['title', ...PLAIN_FIELDS, 'labels', 'metadata']);
export function changesCount(event: LoggedEvent): boolean {
  const { changes, mentions } = event.data;
  const fields = Object.keys(changes ?? {});
  const isOfNobody = fields.length > 0 && !mentions && fields.every((field) => NEEDED_BY_NOBODY.has(field));
  return changesNeeds(event) && !isOfNobody;
}
