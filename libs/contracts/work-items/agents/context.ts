import { z } from 'zod';
import { Attachment } from '../../attachments/attachment.ts';
import {
  column,
  exampleAttachment,
  exampleBoardMap,
  exampleBudget,
  exampleDependency,
  exampleEpic,
  exampleStory,
  exampleTask,
  ids,
} from '../../examples.ts';
import { ItemRef, ProjectId, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { truncation } from '../../truncation.ts';
import { Budget } from '../costs/budget.ts';
import { Priority } from '../plain-fields.ts';
import { MAX_RESOLVED_IDS } from '../resolve.ts';
import { ShownLease, WorkItem } from '../work-item.ts';

const MAX_KEYWORDS = 50;
const MAX_KEYWORD_LENGTH = 100;
const MAX_IDEATION_ITEMS = 50;

/** An item that explains another one. */
export const ItemBrief = WorkItem.pick({ id: true, taskId: true, title: true, type: true });
export type ItemBrief = z.infer<typeof ItemBrief>;

export const PlacedItem = ItemBrief.extend({ columnName: z.string() });
export type PlacedItem = z.infer<typeof PlacedItem>;

const columnId = z.string().nullable();
/** A board as an agent needs it to move items: all columns, and by name those that the tools need (null: the board has no such column). */
export const BoardMap = z.object({
  id: RecordId,
  columns: z.array(z.object({ id: RecordId, name: z.string() })),
  backlogColumnId: columnId,
  inProgressColumnId: columnId,
  reviewColumnId: columnId,
  validatingColumnId: columnId,
  toDocumentColumnId: columnId,
  doneColumnId: columnId,
});
export type BoardMap = z.infer<typeof BoardMap>;

// Not ItemRef: an input that cannot be an id simply matches nothing, and is listed in `notFound`.
const Ids = z.array(z.string().min(1).max(200)).min(1).max(MAX_RESOLVED_IDS).describe('Task IDs or UUIDs');

export const TASK_STATES = ['ready', 'rework', 'waiting', 'blocked', 'in_progress', 'in_review', 'done'] as const;

export const getImplementContext = operation({
  name: 'workItems.implementContext',
  summary:
    'Plan work: the leaf tasks of the given items, their dependencies and states, and waves that can run in parallel.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ ids: Ids, projectId: ProjectId.optional() }),
  output: z.object({
    inputIds: z.array(z.string()),
    notFound: z.array(z.string()),
    tasks: z.array(
      PlacedItem.omit({ type: true }).extend({
        priority: Priority,
        state: z.enum(TASK_STATES),
        lease: ShownLease.nullable(),
        /** Task IDs; a dependency that does not exist, as it was written. */
        dependsOn: z.array(z.string()),
        blockedBy: z.array(z.string()),
        parent: ItemBrief.nullable(),
        hasPrompt: z.boolean(),
      }),
    ),
    /** Task IDs of pending tasks. */
    waves: z.array(z.array(z.string())),
    cycles: z.array(z.array(z.string())),
    board: BoardMap.nullable(),
    /** Of the budgets that apply to the tasks, the one with the least left. */
    budget: Budget.nullable(),
    ...truncation(['tasks', 'waves', 'cycles']),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { ids: ['W-S-9'] },
    output: {
      inputIds: ['W-S-9'],
      notFound: [],
      tasks: [
        {
          id: ids.dependency,
          taskId: 'W-T-13',
          title: 'Name all colours',
          priority: 'medium',
          columnName: 'To Do',
          state: 'ready',
          lease: null,
          dependsOn: [],
          blockedBy: [],
          parent: exampleStory,
          hasPrompt: false,
        },
        {
          id: ids.task,
          taskId: 'W-T-14',
          title: 'Add a dark colour scheme',
          priority: 'high',
          columnName: 'To Do',
          state: 'waiting',
          lease: null,
          dependsOn: ['W-T-13'],
          blockedBy: ['W-T-13'],
          parent: exampleStory,
          hasPrompt: false,
        },
      ],
      waves: [['W-T-13'], ['W-T-14']],
      cycles: [],
      board: exampleBoardMap,
      budget: exampleBudget,
    },
  },
  rest: 'POST /api/context/implement',
  mcp: {
    tool: 'get_implement_context',
    title: 'Get implement context',
    names: { ids: 'workItemIds' },
    description: 'For an overview; claim_work_item chooses the next task by itself.',
  },
});

export const getIdeationContext = operation({
  name: 'workItems.ideationContext',
  summary: 'Find work items related to keywords, best matches first, with potential parents and the board.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    keywords: z.array(z.string().trim().min(1).max(MAX_KEYWORD_LENGTH)).min(1).max(MAX_KEYWORDS),
    projectId: ProjectId.optional(),
    limit: z.int().min(1).max(MAX_IDEATION_ITEMS).default(20),
  }),
  output: z.object({
    keywords: z.array(z.string()),
    items: z.array(PlacedItem.extend({ score: z.number(), matched: z.array(z.string()) })),
    potentialParents: z.array(PlacedItem),
    board: BoardMap.nullable(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { keywords: ['dark', 'theme'] },
    output: {
      keywords: ['dark', 'theme'],
      items: [{ ...exampleStory, columnName: 'In Progress', score: 0.5, matched: ['dark'] }],
      potentialParents: [{ ...exampleEpic, columnName: 'In Progress' }],
      board: exampleBoardMap,
    },
  },
  rest: 'POST /api/context/ideation',
  mcp: {
    tool: 'get_ideation_context',
    title: 'Get ideation context',
    description: 'Use it before you create items: which exist already, and where new ones belong.',
  },
});

export const getReviewContext = operation({
  name: 'workItems.reviewContext',
  summary:
    'Get the context of a review: the item, target columns for pass and fail, dependencies, siblings, attachments.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    taskId: ItemRef,
    featureReview: z.boolean().default(false).describe('With children'),
  }),
  output: z.object({
    item: WorkItem,
    routing: z.object({ passColumnId: columnId, failColumnId: columnId, reviewColumnId: columnId }),
    dependencies: z.array(PlacedItem),
    siblings: z.array(PlacedItem),
    children: z.array(PlacedItem),
    attachments: z.array(Attachment),
    latestReview: z.record(z.string(), z.unknown()).nullable(),
    ...truncation(['dependencies', 'siblings', 'children', 'attachments']),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { taskId: 'W-T-14' },
    output: {
      item: exampleTask('Review'),
      routing: {
        passColumnId: column('Testing'),
        failColumnId: column('In Progress'),
        reviewColumnId: column('Review'),
      },
      dependencies: [{ ...exampleDependency, columnName: 'Done' }],
      siblings: [{ ...exampleDependency, columnName: 'Done' }],
      children: [],
      attachments: [exampleAttachment],
      latestReview: null,
    },
  },
  rest: 'GET /api/work-items/:taskId/review-context',
  mcp: {
    tool: 'get_review_context',
    title: 'Get review context',
    names: { taskId: 'workItemId' },
    brief: {
      item: ['boardId', 'boardColumnId', 'projectId', 'position', 'isAiProcessing', 'createdAt', 'updatedAt'],
      dependencies: ['id', 'type'],
      siblings: ['id', 'type'],
    },
  },
});

export const getValidateContext = operation({
  name: 'workItems.validateContext',
  summary: 'Sort the leaf tasks of the given items into reviewable (Review), testable (Testing) and skipped.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ ids: Ids, projectId: ProjectId.optional() }),
  output: z.object({
    inputIds: z.array(z.string()),
    notFound: z.array(z.string()),
    reviewable: z.array(PlacedItem.extend({ parentId: RecordId.nullable() })),
    testable: z.array(PlacedItem.extend({ parentId: RecordId.nullable() })),
    skipped: z.array(z.object({ id: RecordId, taskId: z.string(), columnName: z.string(), reason: z.string() })),
    parents: z.array(PlacedItem.extend({ description: z.string() })),
    board: BoardMap.nullable(),
    ...truncation(['reviewable', 'testable', 'skipped', 'parents']),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { ids: ['W-S-9'] },
    output: {
      inputIds: ['W-S-9'],
      notFound: [],
      reviewable: [],
      testable: [
        {
          id: ids.task,
          taskId: 'W-T-14',
          title: 'Add a dark colour scheme',
          type: 'task',
          columnName: 'Testing',
          parentId: ids.story,
        },
      ],
      skipped: [{ id: ids.dependency, taskId: 'W-T-13', columnName: 'Done', reason: 'It is done.' }],
      parents: [{ ...exampleStory, columnName: 'In Progress', description: 'For reading at night.' }],
      board: exampleBoardMap,
    },
  },
  rest: 'POST /api/context/validate',
  mcp: { tool: 'get_validate_context', title: 'Get validate context', names: { ids: 'workItemIds' } },
});
