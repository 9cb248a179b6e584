import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { addWorkItemComment as operation } from '@worktrack/contracts/work-items/comment';
import type { GroupedContext } from '@worktrack/runtime/database/contexts';
import { requireItem } from '../items/items.repository.ts';
import { indexSaid } from '../search/search.repository.ts';
import { recordOn } from '../writes/record-on.ts';

export async function addWorkItemComment(
  { workItemId, text }: Input<typeof operation>,
  context: GroupedContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, workItemId);
  await indexSaid(context, item, text);
  return { event: recordOn(context, item, { eventType: 'comment', data: { text } }) };
}
