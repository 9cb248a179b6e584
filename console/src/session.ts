import { computed, effect, signal } from '@preact/signals';
import type { me } from '@worktrack/contracts/gateway/identity';
import type { Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import { call, onRefused, send } from './api/call.ts';
import { queries } from './api/query.ts';
import { ServiceError } from './api/service-error.ts';
import { BROWSER, kept } from './kept.ts';
import { paced } from './live/paced.ts';
import { go, path, to } from './router.ts';

export type Identity = Output<typeof me>;

type Session =
  | { readonly state: 'asking' }
  | { readonly state: 'signed-out'; readonly ended: boolean }
  | { readonly state: 'failed'; readonly error: ServiceError }
  | { readonly state: 'signed-in'; readonly identity: Identity };

/** Who is looking at this page. */
export const session = signal<Session>({ state: 'asking' });

export const identity = computed(() => (session.value.state === 'signed-in' ? session.value.identity : undefined));

/** What one may not do is not offered. The service decides, whatever is shown. */
export function may(permission: Permission): boolean {
  return identity.value?.permissions.includes(permission) ?? false;
}

/** Owners and admins: they set budgets, and pass gates. */
export const leads = computed(() => ['owner', 'admin'].includes(identity.value?.user.role ?? ''));

/** The tabs of a browser share the cookie, so they sign in and out together. */
const tabs = new BroadcastChannel('worktrack.session');
tabs.onmessage = ({ data }: MessageEvent<'in' | 'out' | { readonly ended?: string | undefined }>) => {
  if (typeof data === 'string') location.reload();
  // Not another one that has begun since.
  else if (data.ended === identity.peek()?.key.id) hideAll();
};

/** Of whoever was signed in here last. */
let organizationHere: string | undefined;

export async function askWhoIsThere(): Promise<void> {
  const isKnown = session.value.state === 'signed-in';
  try {
    const found = await call<typeof me>('GET /api/me', {});
    const { id } = found.organization;
    // What the address names is of the other organization.
    if (organizationHere && organizationHere !== id) go(to(path.peek(), { project: undefined }), 'replace');
    organizationHere = id;
    session.value = { state: 'signed-in', identity: found };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // Nothing else has become of the user than what `onRefused` was told.
    if (isKnown) return;
    session.value = error.status === 401 ? { state: 'signed-out', ended: false } : { state: 'failed', error };
    if (error.status === 401) await tellNoMore();
  }
}

/** What the user may do has changed. Several calls are refused at once, and one answer is for all. */
const ASK_EVERY_MS = 1_000;
export const askAgain = paced(async () => identity.peek() && askWhoIsThere(), ASK_EVERY_MS);

/** A link signs its user in; whoever is signed in is asked. */
export const hasCode = signal(!!codeIn(location.href));
// Opened where the console is already, which may have gone on to another address before it is told.
addEventListener('hashchange', ({ newURL }) => {
  if (!codeIn(newURL)) return;
  if (location.href === newURL) location.reload();
  else location.assign(newURL);
});
export const codeHere = (): string | null => codeIn(location.href);

function codeIn(address: string): string | null {
  return new URLSearchParams(new URL(address).hash.slice(1)).get('code');
}

/** With a code that works once, or with an API key, which is not kept anywhere. */
export async function signIn(proof: { readonly code: string } | { readonly apiKey: string }): Promise<void> {
  await send<void>('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(proof),
  });
  tabs.postMessage('in');
  const before = identity.peek();
  await askWhoIsThere();
  if (!before || before.user.id === identity.peek()?.user.id) return;
  await tellNoMore();
  location.reload();
}

/** Whoever uses this browser next sees nothing of what its user is told. */
async function tellNoMore(): Promise<void> {
  if (kept(BROWSER)) await (await import('./notifications/push.ts')).switchOff();
}

export async function signOut(): Promise<void> {
  await tellNoMore();
  await send<void>('/console/session', { method: 'DELETE' });
  tabs.postMessage('out');
  // Reloaded, so that nothing of what was read stays in the page.
  location.reload();
}

/** The service knows this session no longer: nothing that was read with it stays in sight or in memory, in none of its tabs. */
export function endSession(): void {
  // A code that is refused says nothing about the session.
  if (session.value.state !== 'signed-in' || hasCode.peek()) return;
  tabs.postMessage({ ended: session.value.identity.key.id });
  hideAll();
  void tellNoMore();
}
onRefused((isOver) => {
  if (isOver) endSession();
  else askAgain();
});

export async function untilSignedIn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = effect(() => {
    if (session.value.state === 'signed-in') resolve();
  });
  await promise;
  stop();
}

function hideAll(): void {
  session.value = { state: 'signed-out', ended: true };
  queries.clear();
}
