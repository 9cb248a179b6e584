import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

/** What a team does with an item, as in somebody else's program: with types that are generated from the description of the API, without a cast. */
export async function workFlow(baseUrl: string, apiKey: string, projectName: string) {
  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${apiKey}` } });

  const project = done(await api.POST('/api/projects', { body: { name: projectName } }));
  const board = done(await api.GET('/api/boards/{boardId}', { params: { path: { boardId: project.defaultBoardId } } }));
  const columnId = (name: string): string => {
    const column = board.columns.find((each) => each.name === name);
    if (!column) throw new Error(`No column ${name}.`);
    return column.id;
  };

  const metadata = { definitionOfDone: ['it is tested'], estimate: { hours: 2.5, sure: false }, note: null };
  const created = done(
    await api.POST('/api/work-items', {
      params: { header: { 'Idempotency-Key': `create ${project.id}` } },
      body: { title: 'Typed', type: 'task', boardId: board.id, boardColumnId: columnId('Backlog'), metadata },
    }),
  );
  const path = { workItemId: created.id };
  const changed = done(
    await api.PATCH('/api/work-items/{workItemId}', {
      params: { path, header: { 'If-Match': `"${created.version}"` } },
      body: { priority: 'urgent', metadata: { estimate: { sure: true } } },
    }),
  );
  const claim = done(
    await api.POST('/api/work-items/claim', { body: { ids: [created.taskId], agent: 'generated client' } }),
  );
  if (claim.lease === null) throw new Error('Nothing was claimed.');
  const completed = done(
    await api.POST('/api/work-items/{workItemId}/ai-completion', {
      params: { path },
      body: {
        reviewColumnId: columnId('Review'),
        leaseToken: claim.lease.token,
        model: 'gpt-4o',
        provider: 'openai',
        totalTokens: 1200,
      },
    }),
  );
  const reviewed = done(
    await api.POST('/api/work-items/{workItemId}/review', {
      params: { path },
      body: { result: 'pass', summary: 'As it should be.' },
    }),
  );
  const listed = done(
    await api.GET('/api/work-items', { params: { query: { projectId: project.id, type: ['task'], limit: 10 } } }),
  );
  const { events } = done(await api.GET('/api/work-items/{workItemId}/events', { params: { path } }));
  const usage = done(
    await api.GET('/api/ai-usage', { params: { query: { projectId: project.id, groupBy: 'model' } } }),
  );

  const stale = await api.PATCH('/api/work-items/{workItemId}', {
    params: { path, header: { 'If-Match': `"${created.version}"` } },
    body: { title: 'Too late' },
  });
  // @ts-expect-error What is required is required by the types too: without an agent nothing is claimed.
  const refused = await api.POST('/api/work-items/claim', { body: { leaseSeconds: 60 } });
  const deleted = done(await api.DELETE('/api/work-items/{workItemId}', { params: { path } }));
  const deletedProject = done(
    await api.DELETE('/api/projects/{projectId}', { params: { path: { projectId: project.id } } }),
  );

  return {
    projectId: project.id,
    workItemId: created.id,
    metadata: changed.metadata,
    versions: [created.version, changed.version],
    columns: [claim.workItem?.columnName, completed.movedTo, reviewed.movedTo],
    titles: listed.workItems.map(({ title }) => title),
    total: listed.pagination.total,
    events: events.map(({ eventType }) => eventType),
    cost: usage.totals.estimatedCost,
    stale: stale.error?.error.code,
    refused: refused.error?.error.code,
    deleted: [deleted.id, deletedProject.id],
  };
}

interface Answer<Data, Failure> {
  readonly data?: { readonly success: boolean; readonly data: Data };
  readonly error?: Failure;
  readonly response: Response;
}

function done<Data, Failure>({ data, error, response }: Answer<Data, Failure>): Data {
  if (!data) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data.data;
}
