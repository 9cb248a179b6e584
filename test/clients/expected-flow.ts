import { expect } from 'vitest';

/** What the work flow returns, in each language. */
export function expectedFlow({ projectId, workItemId }: Readonly<Record<string, unknown>>) {
  return {
    projectId: expect.any(String),
    workItemId: expect.any(String),
    metadata: { definitionOfDone: ['it is tested'], estimate: { hours: 2.5, sure: true } },
    versions: [1, 2],
    columns: ['In Progress', 'Review', 'Testing'],
    titles: ['Typed'],
    total: 1,
    events: ['moved', 'updated', 'moved', 'ai_session', 'moved', 'updated', 'updated', 'created'],
    cost: expect.stringMatching(/^0\.\d{6}$/),
    stale: 'CONFLICT',
    deleted: [workItemId, projectId],
  };
}
