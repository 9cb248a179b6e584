import type { listAttachments as operation } from '@worktrack/contracts/attachments/operations';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { requireNamed } from '../items/shown/shown.repository.ts';
import { pageOfAttachments, toListed } from './attachments.repository.ts';

export const listAttachments: Read<typeof operation> = async (input, context) => {
  const item = await requireNamed(context, input.workItemId);
  const page = await pageOfAttachments(context, item._id, input.after, input.limit);
  return new AnswerBudget().take(page.map(toListed));
};
