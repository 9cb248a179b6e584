import type {
  showWatch as showOperation,
  unwatchWorkItem as unwatchOperation,
  watchWorkItem as watchOperation,
} from '@worktrack/contracts/gateway/notifications';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { Composition, CompositionContext } from './composition.ts';
import { namedItem } from './named-item.ts';

type Context = CompositionContext<FailureOf<typeof watchOperation>>;

/** The work items service knows the item, and the events service who watches it. */
export const showWatch: Composition<typeof showOperation> = async (input, context) => {
  const item = await namedItem(input.workItemId, context);
  const known = await context.clients.events.call(
    'notifications.isWatching',
    { workItemId: item.workItemId },
    context.options,
  );
  return { output: { ...item, ...known }, replayed: false };
};

export const watch: Composition<typeof watchOperation> = (input, context) => set(true, input, context);
export const unwatch: Composition<typeof unwatchOperation> = (input, context) => set(false, input, context);

async function set(watching: boolean, input: Input<typeof watchOperation>, context: Context) {
  const { clients, options } = context;
  const item = await namedItem(input.workItemId, context);
  const asked = { workItemId: item.workItemId, watching };
  const { output, replayed } = await clients.events.exchange('notifications.setWatch', asked, options);
  return { output: { ...item, ...output }, replayed };
}
