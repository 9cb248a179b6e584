import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { resolveWorkItems } from '@worktrack/contracts/work-items/resolve';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../../api/call.ts';

type Found = Pick<WorkItem, 'taskId' | 'title' | 'type'>;

/** An ID that may go on: `W-T-1` begins `W-T-12` (libs/contracts/fields.ts). */
const BEGUN_ID = /^[A-Z]{1,5}-[TSFEI]-[1-9][0-9]{0,8}$/i;

/**
 * Names the suggestions for a text, per project, in the cache: the items that its words or its ID find. After an ID, items whose ID has one more digit follow.
 */
export const OFFERED = 'offered';

export async function foundItems(
  projectId: string | undefined,
  search: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  const longer = BEGUN_ID.test(search) ? [...'0123456789'].map((digit) => search + digit) : [];
  const [{ workItems }, { items }] = await Promise.all([
    call<typeof listWorkItems>('GET /api/work-items', { projectId, search, limit }, { signal }),
    longer.length > 0
      ? call<typeof resolveWorkItems>(
          'POST /api/work-items/resolve',
          { ids: longer, includeLeafTasks: false },
          { signal },
        )
      : { items: [] },
  ]);
  return [...workItems, ...items.filter(({ id }) => workItems.every((item) => item.id !== id))];
}
