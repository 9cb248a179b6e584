import type { Input, Output } from '@worktrack/contracts/operation';
import type { summarizeWorkItems as operation } from '@worktrack/contracts/work-items/attention';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import { presentedSummaries } from '../items/shown/present.ts';
import { shownItems } from '../items/shown/shown.repository.ts';

export async function summarizeWorkItems(
  { ids }: Input<typeof operation>,
  context: ReadContext,
): Promise<Output<typeof operation>> {
  return { workItems: await presentedSummaries(context, await shownItems(context, ids)) };
}
