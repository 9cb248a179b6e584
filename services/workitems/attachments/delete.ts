import type { deleteAttachment as operation } from '@worktrack/contracts/attachments/operations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { latestComments } from '../history/history.repository.ts';
import { requireItem } from '../items/items.repository.ts';
import { indexAllSaid } from '../search/search.repository.ts';
import { recordOn } from '../writes/record-on.ts';
import { attachmentsOf, removeAttachment } from './attachments.repository.ts';
import { releaseContent } from './content.repository.ts';

export const deleteAttachment: WriteAlone<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.workItemId);
  const removed = await removeAttachment(context, item._id, input.attachmentId);
  if (!removed) throw context.fail('NOT_FOUND', `${item.taskId} has no attachment ${input.attachmentId}.`);
  releaseContent(context, [removed.contentId]);
  const left = (await attachmentsOf(context, item._id)).filter(({ _id }) => _id !== removed._id);
  const names = left.map(({ fileName }) => fileName);
  indexAllSaid(context, item, [...names, ...(await latestComments(context, item))]);
  recordOn(context, item, {
    type: 'work_item.attachment_removed',
    data: { attachmentId: removed._id, fileName: removed.fileName },
  });
  return { deleted: true, id: removed._id };
};
