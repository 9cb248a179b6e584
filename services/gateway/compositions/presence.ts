import type { announcePresence as operation } from '@worktrack/contracts/gateway/presence';
import { REPEAT_AFTER_SECONDS } from '../presence.ts';
import type { Composition } from './composition.ts';
import { namedItem } from './named-item.ts';

export const announcePresence: Composition<typeof operation> = async ({ workItemId }, context) => {
  const item = await namedItem(workItemId, context);
  const { caller, identity, presence } = context;
  const people = await presence.announce(caller.organizationId, item.workItemId, identity.user);
  return { output: { ...item, people, repeatAfterSeconds: REPEAT_AFTER_SECONDS }, replayed: false };
};
