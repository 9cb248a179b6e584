import type { Caller } from '@worktrack/contracts/caller';
import { type EventType, type LoggedEvent, PERMISSION_TO_SEE } from '@worktrack/contracts/events/event';
import { type StreamQuery, streamQuery } from '@worktrack/contracts/events/stream';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Clients } from '../clients.ts';
import { parseQuery } from '../http/query.ts';
import { type LogPage, PAGE_EVENTS } from './log-reader.ts';

/** What a client listens to. The same rules as the log's own (events.list), for events that are already here. */
export class Interest {
  /** Where to start, according to the client. */
  readonly after: number | undefined;

  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #filters: StreamQuery;
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #events: Clients['events'];

  /** @throws OperationError VALIDATION_FAILED */
  constructor(query: unknown, lastEventId: string | undefined, events: Clients['events']) {
    const { after: given, ...raw } = query as Readonly<Record<string, unknown>>;
    // The header of a reconnecting client says how far it got; its address still says where it began.
    const text = lastEventId === undefined || lastEventId === '' ? given : lastEventId;
    const after = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text;
    this.#filters = parseQuery(streamQuery, { ...raw, ...(after !== undefined && { after }) });
    this.after = this.#filters.after;
    this.#raw = raw;
    this.#types = this.#filters.types && new Set(this.#filters.types);
    this.#events = events;
  }

  includes({ type, projectId, subject }: Pick<LoggedEvent, 'type' | 'projectId' | 'subject'>): boolean {
    if (this.#types && !this.#types.has(type)) return false;
    const { projectId: project, workItemId } = this.#filters;
    if (project !== undefined && project !== projectId) return false;
    return workItemId === undefined || workItemId === subject.id || workItemId === subject.taskId;
  }

  /** The log after a place, as far as the caller may see it. @throws OperationError CURSOR_EXPIRED */
  read(caller: Caller, after: number, requestId: string): Promise<LogPage> {
    return this.#events.call('events.list', { ...this.#raw, after, limit: PAGE_EVENTS }, { caller, requestId });
  }
}

/** Nobody may see a kind unknown to this version, and the limited only what is in their projects. */
export function maySee(
  { permissions, projects }: Pick<Identity, 'permissions' | 'projects'>,
  { subject: { kind }, projectId }: Pick<LoggedEvent, 'subject' | 'projectId'>,
): boolean {
  const isTheirs = !projects || (projectId !== undefined && projects.includes(projectId));
  return isTheirs && permissions.includes(PERMISSION_TO_SEE[kind]);
}
