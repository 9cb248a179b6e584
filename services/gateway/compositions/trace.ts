import type { getWorkItemTrace as operation } from '@worktrack/contracts/gateway/trace';
import type { Composition } from './composition.ts';

/** From the feedback through the idea to what became of it: the lineage comes from work items, the feedback behind it from the inbox. */
export const getWorkItemTrace: Composition<typeof operation> = async (input, { clients, options }) => {
  const lineage = await clients.workitems.call('workItems.lineage', input, options);
  const workItemIds = [lineage.workItem.id, ...(lineage.idea ? [lineage.idea.id] : [])];
  const { feedback, total } = await clients.feedback.call(
    'feedback.byWorkItems',
    { workItemIds: [...new Set(workItemIds)] },
    options,
  );
  const { truncated, counts, ...traced } = lineage;
  if (!truncated && feedback.length === total) return { output: { ...traced, feedback }, replayed: false };
  const { descendants, sessions } = counts ?? {
    descendants: traced.descendants.length,
    sessions: traced.sessions.length,
  };
  const output = { ...traced, feedback, truncated: true as const, counts: { descendants, sessions, feedback: total } };
  return { output, replayed: false };
};
