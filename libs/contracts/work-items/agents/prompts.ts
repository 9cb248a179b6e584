import { z } from 'zod';
import { ids, times } from '../../examples.ts';
import { ItemRef, RecordId, Timestamp } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { ItemBrief } from './context.ts';

/** How long a model may take to write a prompt, with the call around it. */
const PROMPT_DEADLINE_MS = 120_000;

const PromptSubject = z.object({
  workItemId: RecordId,
  taskId: z.string(),
  title: z.string(),
  type: ItemBrief.shape.type,
});

export const generateWorkItemPrompt = operation({
  name: 'workItems.generatePrompt',
  summary: 'Write an implementation prompt for a work item from its project context, and save it with the item.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({ id: ItemRef }),
  output: z.object({
    prompt: z.string(),
    context: PromptSubject.extend({
      projectName: z.string(),
      siblingsCount: z.int(),
      hasParent: z.boolean(),
    }),
    savedToDb: z.boolean(),
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'DEADLINE_EXCEEDED'],
  example: {
    input: { id: 'W-T-14' },
    output: {
      prompt: '# Add a dark colour scheme\n\nFollow the system setting …',
      context: {
        workItemId: ids.task,
        taskId: 'W-T-14',
        title: 'Add a dark colour scheme',
        type: 'task',
        projectName: 'Web shop',
        siblingsCount: 1,
        hasParent: true,
      },
      savedToDb: true,
    },
  },
  rest: 'POST /api/work-items/:id/prompt',
  mcp: { tool: 'generate_work_item_prompt', title: 'Generate prompt', names: { id: 'workItemId' }, openWorld: true },
  deadlineMs: PROMPT_DEADLINE_MS,
  lane: 'long',
});

export const getWorkItemPrompt = operation({
  name: 'workItems.getPrompt',
  summary: 'Get the saved implementation prompt of a work item.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ id: ItemRef }),
  output: z.object({ prompt: z.string(), context: PromptSubject, generatedAt: Timestamp }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: 'W-T-14' },
    output: {
      prompt: '# Add a dark colour scheme\n\nFollow the system setting …',
      context: { workItemId: ids.task, taskId: 'W-T-14', title: 'Add a dark colour scheme', type: 'task' },
      generatedAt: times.updatedAt,
    },
  },
  rest: 'GET /api/work-items/:id/prompt',
  mcp: { tool: 'get_work_item_prompt', title: 'Get prompt', names: { id: 'workItemId' } },
});
