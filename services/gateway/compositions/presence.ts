import type { announcePresence as operation } from '@worktrack/contracts/gateway/presence';
import { holdsAll } from '@worktrack/contracts/rights';
import { REPEAT_AFTER_SECONDS } from '../presence.ts';
import type { Composition } from './composition.ts';
import { summaryOfNamed } from './named-item.ts';

export const announcePresence: Composition<typeof operation> = async ({ workItemId, isLeaving }, context) => {
  const { id, taskId, projectId } = await summaryOfNamed(workItemId, context);
  const { caller, identity, presence, clients } = context;
  const { requestId } = context.options;
  const others = await presence.announce(caller.organizationId, id, identity.key.prefix, isLeaving);
  const found = await Promise.all(
    others.map((prefix) => clients.keys.call('identity.current', { prefix }, { requestId })),
  );
  // Past the cache: whoever may no longer see the item is not at it, whenever they last said so.
  const sees = { permissions: ['work-items:read' as const], projects: [projectId] };
  const users = found.flatMap(({ identity: now }) => (now && holdsAll(now, sees) ? [now.user] : []));
  const people = new Map(users.map((user) => [user.id, { id: user.id, name: user.name }]));
  people.delete(identity.user.id);
  return {
    output: {
      ...{ workItemId: id, taskId },
      people: [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name)),
      repeatAfterSeconds: REPEAT_AFTER_SECONDS,
    },
    replayed: false,
  };
};
