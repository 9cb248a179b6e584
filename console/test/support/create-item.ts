import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { TestOrganization } from '../../../test/support/organization.ts';

/** A task in Backlog, unless `item` says otherwise. */
export async function createItem(
  { boardId, columns, projectId, call }: TestOrganization,
  item: Readonly<Record<string, unknown>> & { readonly title: string },
): Promise<WorkItem> {
  const place = { projectId, boardId, boardColumnId: columns.Backlog };
  const answer = await call<WorkItem>('POST', '/api/work-items', { type: 'task', ...place, ...item });
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}
