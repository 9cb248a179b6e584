import type { listAttachments as operation } from '@worktrack/contracts/attachments/operations';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { requireNamed } from '../items/shown.repository.ts';
import { attachmentsOf, toAttachment } from './attachments.repository.ts';

export async function listAttachments(
  input: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const item = await requireNamed(context, input.workItemId);
  return (await attachmentsOf(context, item._id)).map(toAttachment);
}
