import { computed, effect, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

/** Everything that the console shows has an address below this one, including its filters, so that a view can be shared. */
const BASE = '/console/';

interface Address {
  /** Below BASE: `board`, `items/W-T-12`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export const address = signal<Address>(read());

export const path = computed(() => address.value.path);

/** A filter in the address; `undefined` if it is not set. */
export function filter(name: string): string | undefined {
  return address.value.query.get(name) ?? undefined;
}

/** Sets filters, or removes them with `undefined` or an empty text. Typing replaces the history entry instead of adding one per letter. */
export function setFilters(
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  go(withFilters(changes), how);
}

/** The address of what is shown now but for these filters, for a link. It is not followed: whatever draws the link is drawn again with its filters. */
export function withFilters(changes: Readonly<Record<string, string | undefined>>): string {
  const { path: screen, query } = address.peek();
  return to(screen, { ...Object.fromEntries(query), ...changes });
}

/** The address of an item in the panel beside what is shown. */
export function toPanel(taskId: string): string {
  return withFilters({ panel: taskId });
}

const PROJECT_KEPT_AS = 'project';
const lastProject = signal(kept(PROJECT_KEPT_AS) ?? undefined);
effect(() => {
  const project = filter('project');
  if (!project) return;
  lastProject.value = project;
  keep(PROJECT_KEPT_AS, project);
});

/** The id of the project that one is in: the address's, else the last one of this browser, which may no longer exist. */
export const projectHere = computed(() => filter('project') ?? lastProject.value);

/** The address of a screen, for a link: in the project that one is in, unless the filters say otherwise. */
export function to(screen: string, filters: Readonly<Record<string, string | undefined>> = {}): string {
  const all = { project: projectHere.value, ...filters };
  const set = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(set).toString();
  return BASE + screen + (query && `?${query}`);
}

/** The id of what one was at on this page of the history, if its screen says so: one is at it again when one comes back. */
export let attended = attendedHere();

/** With what is drawn, not after it: the key that leads on may follow at once. */
export function attend(id: string | undefined): void {
  attended = id;
}

function attendedHere(): string | undefined {
  return (history.state as { attended?: string } | null)?.attended;
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') {
    // Only as it is left: a browser limits how often it may be written.
    history.replaceState({ attended }, '');
    if (new URL(href, location.href).pathname !== location.pathname) attended = undefined;
    history.pushState({ attended }, '', href);
  } else history.replaceState({ attended }, '', href);
  address.value = read();
}

function read(): Address {
  const { pathname, search } = location;
  return { path: pathname.startsWith(BASE) ? pathname.slice(BASE.length) : '', query: new URLSearchParams(search) };
}

addEventListener('popstate', () => {
  attended = attendedHere();
  address.value = read();
});

/** Links are ordinary ones; those that stay in the console do not reload the page. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(BASE)) return;
  // To a place on this page.
  if (url.hash && url.pathname === location.pathname) return;
  event.preventDefault();
  go(url.pathname + url.search);
});
