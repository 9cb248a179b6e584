import type { PushPayload } from '@worktrack/contracts/events/push';
import { subscribe } from './subscription.ts';

/** What of the browser's worker scope is used: its types and those of pages exclude each other. */
interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(which: object): Promise<readonly { readonly url: string; focus(): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: 'pushsubscriptionchange', listener: (event: Waiting) => void): void;
  addEventListener(type: 'push', listener: (event: Waiting & { readonly data: { json(): PushPayload } }) => void): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: Waiting & { readonly notification: Notification }) => void,
  ): void;
}
interface Waiting {
  waitUntil(done: Promise<unknown>): void;
}
const SERVICE = '/api/me/push';
const scope = self as unknown as Scope;

/** Shows what is pushed, also while no page of the console is open. It keeps nothing, and no request goes through it. */
scope.addEventListener('push', (event) => {
  const { title, url, ...shown } = event.data.json();
  event.waitUntil(scope.registration.showNotification(title, { ...shown, data: url }));
});

scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

// https://w3c.github.io/push-api/#the-pushsubscriptionchange-event: whatever was subscribed is no longer pushed to.
scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain()));

/** With whichever key the service has now. Without a session it is not told: nor is this browser any more. */
async function subscribeAgain(): Promise<void> {
  const { data } = await (await fetch(SERVICE)).json();
  const body = JSON.stringify(await subscribe(scope.registration.pushManager, data.publicKey));
  await fetch(SERVICE, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** In the page that shows it already, else in one of its own: another may hold what somebody is writing. */
async function open(path: string): Promise<void> {
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find(({ url }) => new URL(url).pathname === path);
  await (page ? page.focus() : scope.clients.openWindow(path));
}
