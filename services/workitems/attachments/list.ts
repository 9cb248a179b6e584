import type { listAttachments as operation } from '@worktrack/contracts/attachments/operations';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { AnswerBudget } from '@worktrack/runtime/process/answer-budget';
import { requireNamed } from '../items/shown/shown.repository.ts';
import { pageOfAttachments, toListed } from './attachments.repository.ts';

export async function listAttachments(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireNamed(context, input.workItemId);
  const page = await pageOfAttachments(context, item._id, input.after, input.limit);
  return new AnswerBudget().take(page.map(toListed));
}
