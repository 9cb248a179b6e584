import type { summarizeWorkItems as operation } from '@worktrack/contracts/work-items/attention';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { presentedSummaries } from '../items/shown/present.ts';
import { shownItems } from '../items/shown/shown.repository.ts';

export const summarizeWorkItems: Read<typeof operation> = async ({ ids }, context) => {
  return { workItems: await presentedSummaries(context, await shownItems(context, ids)) };
};
