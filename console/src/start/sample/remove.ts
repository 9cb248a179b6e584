import type { deleteSource, listSources } from '@worktrack/contracts/feedback/sources';
import type { deleteProject, updateProject } from '@worktrack/contracts/projects/project-operations';
import type { deleteWorkItem } from '@worktrack/contracts/work-items/changes/delete';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { call } from '../../api/call.ts';
import { ServiceError } from '../../api/service-error.ts';
import type { Project } from '../../parts/project.ts';
import { may } from '../../session.ts';
import { described, sampleSource } from './mark.ts';

const PAGE = 100;

/**
 * Removes the sample with everything that was added to it, the project last: until then it has the mark, so that after an interruption one can start again.
 * @param onStep after each deletion, with how many there were and how many are left
 */
export async function removeSample(project: Project, onStep: (done: number, left: number) => void): Promise<void> {
  const { id, description } = project;
  const [text = ''] = description.split('\n\nworktrack-sample:', 1);
  await orGone(call<typeof updateProject>('PATCH /api/projects/:id', { id, description: described(text, 'removing') }));
  let done = 0;
  for (;;) {
    // Newest first: children before their parents, which then need not be changed.
    const { workItems, pagination } = await call<typeof listWorkItems>('GET /api/work-items', {
      projectId: id,
      limit: PAGE,
    });
    if (workItems.length === 0) break;
    for (const [at, item] of workItems.entries()) {
      await orGone(call<typeof deleteWorkItem>('DELETE /api/work-items/:id', { id: item.id }));
      onStep(++done, pagination.total - at - 1);
    }
  }
  if (may('feedback:write') && may('feedback:read')) {
    const sources = await call<typeof listSources>('GET /api/feedback/sources', {});
    for (const source of sources.filter(({ name }) => name === sampleSource(id))) {
      await orGone(call<typeof deleteSource>('DELETE /api/feedback/sources/:id', { id: source.id, erase: true }));
    }
  }
  await orGone(call<typeof deleteProject>('DELETE /api/projects/:id', { id }));
}

/** What somebody else has removed meanwhile counts as removed. */
async function orGone(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'NOT_FOUND')) throw error;
  }
}
