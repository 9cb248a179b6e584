import type { getWorkItemPrompt as operation } from '@worktrack/contracts/work-items/agents/prompts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { z } from 'zod';
import { requireItem } from '../items/items.repository.ts';

const StoredPrompt = z.object({ text: z.string(), generatedAt: z.string() });

export const getWorkItemPrompt: Read<typeof operation> = async ({ id }, context) => {
  const { _id, taskId, title, type, metadata } = await requireItem(context, id);
  const prompt = StoredPrompt.safeParse(metadata.prompt).data;
  if (!prompt) {
    throw context.fail(
      'NOT_FOUND',
      `${taskId} has no prompt yet. generate_work_item_prompt (POST /api/work-items/${taskId}/prompt) writes one.`,
    );
  }
  const { text, generatedAt } = prompt;
  return { prompt: text, context: { workItemId: _id, taskId, title, type }, generatedAt };
};
