import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import { escaped } from './output.ts';

const MAX_TOLD_CHARACTERS = 160;

/** `1042  2026-11-22 14:07:01  work_item.moved  W-T-12  fromColumn="To Do" toColumn="In Progress"  by claude` */
export function eventLine({ seq, at, type, subject, actor, data }: LoggedEvent): string {
  return joined([seq, timeOf(at), type, subject.taskId ?? subject.id, summaryOf(data), by(actor)]);
}

/** Of an item whose name is known. */
export function historyLine({ createdAt, eventType, actor, data }: HistoryEvent): string {
  return joined([timeOf(createdAt), eventType, summaryOf(data), by(actor)]);
}

const joined = (parts: readonly (string | number)[]) => parts.filter((part) => part !== '').join('  ');
const timeOf = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)}`;
const by = (actor: LoggedEvent['actor']) => (actor ? `by ${shown(actor.agent ?? actor.userId)}` : '');

function summaryOf(data: Readonly<Record<string, unknown>>): string {
  const summary = Object.entries(data)
    .map(([name, value]) => `${name}=${shown(name === 'changes' ? namesOf(value) : value)}`)
    .join(' ');
  return summary.length > MAX_TOLD_CHARACTERS ? `${summary.slice(0, MAX_TOLD_CHARACTERS)}…` : summary;
}

/** What was changed; the old and new values are in the JSON. */
function namesOf(changes: unknown): unknown {
  return typeof changes === 'object' && changes !== null ? Object.keys(changes).join(',') : changes;
}

/** A plain word as it is, anything else as JSON. Control characters would be commands to a terminal, and anybody could have written them. */
function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\p{L}\p{N}_.,:/@#-]+$/u.test(value)) return value;
  return (JSON.stringify(value) ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}
