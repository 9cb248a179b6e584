/** Subscribes at the browser's push service; an earlier subscription, perhaps somebody else's, ends. @returns what the service is told of it */
export async function subscribe(pushManager: PushManager, applicationServerKey: string) {
  await (await pushManager.getSubscription())?.unsubscribe();
  return given(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
}

export function given(subscription: PushSubscription) {
  const { expirationTime: _, ...rest } = subscription.toJSON();
  return rest;
}
