import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { deleteWorkItem as operation } from '@worktrack/contracts/work-items/delete';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { removeAttachmentsOf } from '../attachments/attachments.repository.ts';
import { releaseContent } from '../attachments/content.repository.ts';
import { forgetItem } from '../search/search.repository.ts';
import { handDownSessions } from '../usage/sessions.repository.ts';
import { changeItems, childrenOf, removeItem, requireItem } from './items.repository.ts';
import { loseParent } from './parent.ts';

/** Children lose their parent, attachments go, what the work cost counts for the parent; the history stays, and ends here. */
export async function deleteWorkItem(
  { id }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, id);
  const { _id, taskId, title } = item;
  const children = await childrenOf(context, [_id]);
  await changeItems(context, children, { parentId: null }, () => ({
    eventType: 'updated',
    data: { changes: { parentId: { from: _id, to: null } } },
  }));
  await loseParent(context, item);
  const contentIds = (await removeAttachmentsOf(context, _id)).map(({ contentId }) => contentId);
  if (contentIds.length > 0) await releaseContent(contentIds, context.tx);
  if (item.parentId !== null) {
    await handDownSessions(context.caller.organizationId, _id, item.parentId, context.tx);
  }
  await forgetItem(context, _id);
  await removeItem(context, item, { eventType: 'deleted', data: { taskId, title } });
  return { deleted: true, id: _id };
}
