import { z } from 'zod';
import { column, examplePlainFields, ids } from '../examples.ts';
import { operation } from '../operation.ts';
import { plainFields } from './plain-fields.ts';
import { WorkItem } from './work-item.ts';

export const MAX_RESOLVED_IDS = 500;

export const ResolvedItem = z.object({
  ...WorkItem.pick({ id: true, taskId: true, title: true, type: true, description: true }).shape,
  ...plainFields.shown,
  ...WorkItem.pick({ assignee: true, labels: true, boardColumnId: true, columnName: true, parentId: true }).shape,
  ...WorkItem.pick({ isAiProcessing: true, lease: true, version: true }).shape,
  /** The inputs that the item came from. */
  resolvedFrom: z.array(z.string()),
});
export type ResolvedItem = z.infer<typeof ResolvedItem>;

export const resolveWorkItems = operation({
  name: 'workItems.resolve',
  summary: 'Resolve task IDs and UUIDs to items; those that are not tasks to their leaf tasks.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    // Not ItemRef: an input that cannot be an id simply matches nothing, and is listed in `notFound`.
    ids: z.array(z.string().min(1).max(200)).min(1).max(MAX_RESOLVED_IDS).describe('Task IDs (W-T-12) or UUIDs'),
    includeLeafTasks: z.boolean().default(true),
    maxDepth: z.int().min(1).max(10).default(3).describe('Levels below an input'),
  }),
  output: z.object({
    inputIds: z.array(z.string()),
    notFound: z.array(z.string()),
    items: z.array(ResolvedItem),
    /** At any depth: of those whose leaf tasks are all deeper than `maxDepth`, only `truncated` tells. */
    withoutLeafTasks: z.array(z.string()),
    /** Something is deeper than `maxDepth`, or the result would exceed the maximum size. */
    truncated: z.boolean(),
  }),
  errors: [],
  example: {
    input: { ids: ['W-S-9', 'W-T-99'] },
    output: {
      inputIds: ['W-S-9', 'W-T-99'],
      notFound: ['W-T-99'],
      items: [
        {
          id: ids.task,
          taskId: 'W-T-14',
          title: 'Add a dark colour scheme',
          type: 'task',
          resolvedFrom: ['W-S-9'],
          description: 'Follow the system setting, and let people choose.',
          ...examplePlainFields,
          labels: [],
          assignee: null,
          boardColumnId: column('To Do'),
          columnName: 'To Do',
          parentId: ids.story,
          isAiProcessing: false,
          lease: null,
          version: 3,
        },
      ],
      withoutLeafTasks: [],
      truncated: false,
    },
  },
  rest: 'POST /api/work-items/resolve',
  mcp: {
    tool: 'resolve_work_items',
    names: { ids: 'workItemIds' },
    title: 'Resolve work items',
    description: 'For one item with its metadata: get_work_item; to search: list_work_items.',
  },
});
