import type { getWorkItemTrace as operation } from '@worktrack/contracts/gateway/trace';
import type { Composition } from './composition.ts';

/** From the feedback over the idea to what was made of it: the lineage is the work items', the feedback behind it the inbox's. */
export const getWorkItemTrace: Composition<typeof operation> = async (input, { clients, options }) => {
  const lineage = await clients.workitems.call('workItems.lineage', input, options);
  const workItemIds = [lineage.workItem.id, ...(lineage.idea ? [lineage.idea.id] : [])];
  const { feedback } = await clients.feedback.call(
    'feedback.byWorkItems',
    { workItemIds: [...new Set(workItemIds)] },
    options,
  );
  return { output: { ...lineage, feedback }, replayed: false };
};
