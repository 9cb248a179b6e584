import type { updateNotificationSettings } from '@worktrack/contracts/events/notifications';
import type { subscribeBrowser, unsubscribeBrowser } from '@worktrack/contracts/events/push';
import { call } from '../api/call.ts';
import { BROWSER, keep, kept, unkeep } from '../kept.ts';
import { language } from '../language/language.ts';
import { given, subscribe } from './subscription.ts';

const ADDRESS = '/console/worker.js';
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(any: string): string };
}
/** Where browsers know trusted types, the policy of the page lets nothing else become a worker. */
const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
const WORKER = trustedTypes?.createPolicy('worker', { createScriptURL: () => ADDRESS }).createScriptURL('') ?? ADDRESS;

/** Not outside of HTTPS, and on iOS only for what is on the home screen. */
export const isPossible = 'serviceWorker' in navigator && 'PushManager' in window;

/** Asks the user, and then the browser's push service. @returns false if the push service failed */
export async function switchOn(applicationServerKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return true;
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await subscribe(pushManager, applicationServerKey).catch(() => undefined);
  if (!made) return false;
  await tellOf(made);
  await call<typeof updateNotificationSettings>('PATCH /api/me/notifications', { language: language.value });
  return true;
}

async function tellOf(subscription: ReturnType<typeof given>): Promise<void> {
  type Input = Parameters<typeof call<typeof subscribeBrowser>>[1];
  const { id } = await call<typeof subscribeBrowser>('POST /api/me/push', subscription as Input);
  keep(BROWSER, `${id} ${subscription.endpoint}`);
}

export const ownId = () => kept(BROWSER)?.split(' ')[0] ?? '';

/** The worker subscribes again when its push service wants that, and cannot keep as which browser: told again, the service says it. */
export async function followWorker(): Promise<void> {
  const worker = isPossible && kept(BROWSER) ? await navigator.serviceWorker.getRegistration() : undefined;
  const subscription = await worker?.pushManager.getSubscription();
  if (subscription && !kept(BROWSER)?.endsWith(` ${subscription.endpoint}`)) await tellOf(given(subscription));
}

/** Without its worker, a browser has no subscription: even if the service does not learn of it, nothing is shown any more. */
export async function switchOff(): Promise<true> {
  const id = ownId();
  unkeep(BROWSER);
  const ended = navigator.serviceWorker.getRegistration().then((worker) => worker?.unregister());
  await Promise.allSettled([ended, remove(id)]);
  return true;
}

export const remove = (id: string) => call<typeof unsubscribeBrowser>('DELETE /api/me/push/:id', { id });
