import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { getWorkItem as operation } from '@worktrack/contracts/work-items/get';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { requireItem } from './items.repository.ts';
import { presented } from './present.ts';

export async function getWorkItem(
  { id }: Input<typeof operation>,
  context: ReadContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  return presented(context, await requireItem(context, id));
}
