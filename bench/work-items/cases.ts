import type { LoadRequest } from '../support/http-load.ts';
import { type FilledProject, newItem, RARE_WORD } from './fill.ts';

export const BATCH = 50;
/** How many `batch-move` takes at once. */
const PREPARED_TOGETHER = 500;

/** Calls one of the two sides, which answer the same routes. */
export type CallSide = (method: string, path: string, body: object) => Promise<unknown>;

/** An operation, requested from both sides with the same requests. */
export interface Case {
  readonly name: string;
  readonly request: LoadRequest;
  readonly status: number;
  /** The minimum as a share of the bare process's rate: alone and with 32 connections; undefined if no target is set. */
  readonly wanted?: readonly [alone: number | undefined, together: number | undefined];
  /** The most CPU time of all processes, in ms. */
  readonly wantedCpuMs?: number;
  /** Before each load. */
  readonly prepare?: (call: CallSide) => Promise<unknown>;
  /** If each request needs an item that none before it has had. */
  readonly maxRequests?: number;
  /** Beyond this, calls would wait for each other's items. */
  readonly maxConnections?: number;
}

/**
 * @param changed the project whose items are moved, completed and so on
 * @param read the project whose items nobody changes
 */
export function casesOf(
  changed: FilledProject,
  read: FilledProject,
  headers: Readonly<Record<string, string>>,
): readonly Case[] {
  const json = { ...headers, 'Content-Type': 'application/json' };
  const post = (path: string, body: object, lists?: LoadRequest['lists']): LoadRequest => ({
    method: 'POST',
    path,
    headers: json,
    body: JSON.stringify(body),
    lists,
  });
  const get = (path: string, lists?: LoadRequest['lists']): LoadRequest => ({ method: 'GET', path, headers, lists });
  const patch = (path: string, body: object, lists: LoadRequest['lists']): LoadRequest => ({
    ...post(path, body, lists),
    method: 'PATCH',
  });
  const moveAll = (to: string) => async (call: CallSide) => {
    for (let i = 0; i < changed.ids.length; i += PREPARED_TOGETHER) {
      const workItemIds = changed.ids.slice(i, i + PREPARED_TOGETHER);
      await call('POST', '/api/work-items/batch-move', { workItemIds, boardColumnId: changed.column(to) });
    }
  };
  const item = changed.ids;
  /** There and back: each time all items have been moved. */
  const column = ['To Do', 'Backlog'].flatMap((name) => item.map(() => changed.column(name)));
  const batches = item.flatMap((_, i) =>
    i % BATCH === 0 && i + BATCH <= item.length ? [JSON.stringify(item.slice(i, i + BATCH))] : [],
  );
  const batchColumn = ['Testing', 'Done'].flatMap((name) => batches.map(() => changed.column(name)));
  const mcp = post('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'resolve_work_items', arguments: { ids: ['{task}'] } },
  });

  return [
    {
      name: 'create',
      request: post('/api/work-items', newItem('{n}', changed.project, changed.column('Backlog'))),
      status: 201,
      wanted: [0.35, 0.5],
    },
    {
      name: 'move',
      request: post('/api/work-items/{item}/move', { boardColumnId: '{column}' }, { item, column }),
      status: 200,
      wanted: [0.5, 0.5],
    },
    {
      name: 'update of a field',
      request: patch('/api/work-items/{item}', { description: 'Draft {n} of the part.', assignee: 'ada' }, { item }),
      status: 200,
      wanted: [0.5, 0.5],
    },
    {
      name: 'complete',
      request: post(
        '/api/work-items/{item}/ai-completion',
        { reviewColumnId: changed.column('Review'), model: 'gpt-4o', totalTokens: 1_000, durationMs: 60_000 },
        { item },
      ),
      status: 200,
      wantedCpuMs: 4,
      prepare: moveAll('In Progress'),
      maxRequests: item.length,
    },
    {
      name: 'claim',
      request: post('/api/work-items/claim', { projectId: changed.project.id, agent: 'agent {n}' }),
      status: 200,
      wantedCpuMs: 6,
      prepare: moveAll('To Do'),
      maxRequests: item.length,
    },
    {
      name: 'comment',
      request: post('/api/work-items/{item}/comments', { text: 'Part {n} is agreed.' }, { item }),
      status: 201,
      wanted: [0.5, 0.5],
    },
    {
      name: `batch move of ${BATCH}`,
      request: {
        ...post('/api/work-items/batch-move', {}, { batch: batches, batchColumn }),
        body: '{"workItemIds":{batch},"boardColumnId":"{batchColumn}"}',
      },
      status: 200,
      maxConnections: batches.length,
    },
    {
      name: 'get',
      request: get('/api/work-items/{item}', { item: read.ids }),
      status: 200,
      wanted: [undefined, 1],
    },
    {
      name: `list 50 of ${read.ids.length.toLocaleString('en')}`,
      request: get(`/api/work-items?limit=50&projectId=${read.project.id}`),
      status: 200,
      wanted: [undefined, 0.8],
    },
    {
      name: `search, 50 of ${read.ids.length.toLocaleString('en')}`,
      request: get(`/api/work-items?limit=50&projectId=${read.project.id}&search=${RARE_WORD}`),
      status: 200,
    },
    {
      name: 'resolve, REST',
      request: post('/api/work-items/resolve', { ids: ['{task}'] }, { task: read.taskIds }),
      status: 200,
      wanted: [undefined, 0.8],
    },
    {
      name: 'resolve, MCP',
      request: {
        ...mcp,
        headers: { ...json, Accept: 'application/json, text/event-stream' },
        lists: { task: read.taskIds },
      },
      status: 200,
      wanted: [undefined, 0.8],
    },
  ];
}
