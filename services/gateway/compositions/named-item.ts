import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import type { CompositionContext } from './composition.ts';

/** @returns which work item is meant, if the caller may see it. @throws OperationError NOT_FOUND */
export async function namedItem(
  workItemId: string,
  context: CompositionContext<'NOT_FOUND'>,
): Promise<{ readonly workItemId: string; readonly taskId: string }> {
  const { id, taskId } = await summaryOfNamed(workItemId, context);
  return { workItemId: id, taskId };
}

/** The same, with its summary. @throws OperationError NOT_FOUND */
export async function summaryOfNamed(
  workItemId: string,
  { clients, options: { idempotencyKey: _, ...reading }, fail }: CompositionContext<'NOT_FOUND'>,
): Promise<WorkItemSummary> {
  const { workItems } = await clients.workitems.call('workItems.summaries', { ids: [workItemId] }, reading);
  const [item] = workItems;
  if (!item) throw fail('NOT_FOUND', `There is no work item ${workItemId}.`);
  return item;
}
