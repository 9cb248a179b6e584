import { signal } from '@preact/signals';
import type { InfiniteData, Query } from '@tanstack/query-core';
import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Beat } from '@worktrack/contracts/work-items/agents/beat';
import { useEffect } from 'preact/hooks';
import { queries } from '../api/query.ts';
import { endSession, untilSignedIn } from '../session.ts';
import { paced } from './paced.ts';
import { followEvents } from './stream.ts';

/** How a page knows what is going on. */
interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  /** When the state began, in milliseconds. */
  readonly sinceMs: number;
}
export const connection = signal<Connection>({ state: 'connecting', sinceMs: Date.now() });

/**
 * Whether screens may request: what is read before the stream is open may be stale at once, and would be read twice. It is opened while the page
 * asks who is there.
 */
export const ready = signal(false);
/** Without a stream for this long, they request anyway. */
const PATIENCE_MS = 1_000;

/** What the tab with the stream tells the others. */
type Told =
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'beat'; readonly beat: Beat }
  | { readonly kind: 'state'; readonly connection: Connection; readonly cursor: number | undefined }
  /** Something may be missing: everything that was read is read again. */
  | { readonly kind: 'anew' }
  /** A new tab asks for the state. */
  | { readonly kind: 'who' };

const listeners = new Set<(event: LoggedEvent) => void>();
const beatListeners = new Set<(beat: Beat) => void>();
/** The last event that this tab knows of: where it resumes when it takes over the stream. */
let cursor: number | undefined;
/** Answers that events make stale are requested again no more often than this, for each request that it takes. */
const REFETCH_EVERY_MS = 200;

/**
 * Follows what happens: one stream per browser, which the tab that holds a lock reads for all of them. A tab that takes over resumes where the previous
 * one left off, so nothing is missed.
 */
export function startLive(): void {
  const tabs = new BroadcastChannel('worktrack.live');
  let leads = false;
  const tell = (told: Told) => {
    hear(told);
    tabs.postMessage(told);
  };
  tabs.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.kind !== 'who') hear(data);
    else if (leads) tabs.postMessage({ kind: 'state', connection: connection.value, cursor } satisfies Told);
  };
  tabs.postMessage({ kind: 'who' } satisfies Told);
  const patience = () =>
    setTimeout(() => {
      ready.value = true;
    }, PATIENCE_MS);
  void untilSignedIn().then(patience);

  const change = (state: Connection['state']) => {
    if (connection.value.state !== state) tell({ kind: 'state', connection: { state, sinceMs: Date.now() }, cursor });
  };
  const lead = async () => {
    leads = true;
    const listener = {
      opened(resumed: boolean) {
        if (!resumed) tell({ kind: 'anew' });
        change('live');
      },
      event: (event: LoggedEvent) => tell({ kind: 'event', event }),
      beat: (beat: Beat) => tell({ kind: 'beat', beat }),
      lost: () => change('lost'),
    };
    for (;;) {
      await followEvents(cursor, listener);
      endSession();
      ready.value = false;
      cursor = undefined;
      await untilSignedIn();
      patience();
    }
  };
  navigator.locks.request('worktrack.live', lead);
}

function hear(told: Told): void {
  switch (told.kind) {
    case 'event':
      cursor = told.event.seq;
      takeIn(told.event);
      break;
    case 'beat':
      for (const listener of beatListeners) listener(told.beat);
      break;
    case 'state':
      cursor ??= told.cursor;
      // Nothing tells of what could not be read meanwhile.
      if (told.connection.state === 'live' && connection.value.state === 'lost') {
        void readAgain(({ state }) => state.status === 'error');
      }
      connection.value = told.connection;
      if (told.connection.state !== 'connecting') ready.value = true;
      break;
    case 'anew':
      void readAgain();
      break;
  }
}

function takeIn(event: LoggedEvent): void {
  makeOld(event);
  for (const listener of listeners) listener(event);
}

/**
 * Keeps what happens from now on, for what is read before the part of the page that follows it is there.
 * @returns tells it to whatever is there by then
 */
export function keepEvents(): () => void {
  const kept: LoggedEvent[] = [];
  const end = hearEvents((event) => void kept.push(event));
  return () => {
    end();
    for (const event of kept.splice(0)) takeIn(event);
  };
}

let old = new Set<string>();

/** Answers that an event makes stale are requested again, together: an agent at work causes several events at once. */
function makeOld(event: LoggedEvent): void {
  for (const query of queries.getQueryCache().getAll()) {
    const isPatched = query.meta?.isPatched && query.isActive() && query.state.data !== undefined;
    if (query.meta?.follows?.(event) && !isPatched) old.add(query.queryHash);
  }
  if (old.size > 0) refetch();
}

const refetch = paced(() => {
  const found = queries.getQueryCache().getAll();
  const due = new Set(found.filter((query) => old.has(query.queryHash) && isDue(query)));
  const kept = found.filter((query) => old.has(query.queryHash) && !due.has(query));
  old = new Set(kept.map(({ queryHash }) => queryHash));
  if (old.size > 0) refetch();
  return readAgain((query) => due.has(query));
}, REFETCH_EVERY_MS);

/**
 * A list is read again as a whole, however many of its pages somebody has looked at. The more requests that takes, the less often it is done, and never while
 * the list is being read. Reading would then start over with the first page, and might never reach the last, or the next one that somebody asked for.
 */
function isDue({ state, meta }: Query): boolean {
  const { pages } = (state.data ?? {}) as Partial<InfiniteData<unknown>>;
  const requests = meta?.requests ?? (Array.isArray(pages) ? pages.length : 0);
  if (requests === 0) return true;
  return state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt >= requests * REFETCH_EVERY_MS;
}

/** What is being read for the first time too, of which an invalidation takes no notice: its answer may be from before the event. */
async function readAgain(isMeant: (query: Query) => boolean = () => true): Promise<void> {
  await queries.cancelQueries({ predicate: (query) => query.state.data === undefined && isMeant(query) });
  await queries.invalidateQueries({ predicate: isMeant });
}

/** @returns ends it */
export function hearEvents(listener: (event: LoggedEvent) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Calls back for each event while the component is mounted: for what is patched rather than requested again. */
export function useEvents(listener: (event: LoggedEvent) => void): void {
  useEffect(() => hearEvents(listener), [listener]);
}

export function useBeats(listener: (beat: Beat) => void): void {
  useEffect(() => {
    beatListeners.add(listener);
    return () => {
      beatListeners.delete(listener);
    };
  }, [listener]);
}
