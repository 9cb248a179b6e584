import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { generateWorkItemPrompt as operation } from '@worktrack/contracts/work-items/agents/prompts';
import type { StagedContext } from '@worktrack/runtime/database/handlers/contexts';
import { boardOf } from '../boards/boards.repository.ts';
import { differenceOf } from '../items/changes.ts';
import { requireItem } from '../items/items.repository.ts';
import { merged } from '../metadata/metadata.ts';
import { changeItem } from '../writes/change-item.ts';
import { askModel } from './ask-model.ts';
import { promptByTemplate, questionFor } from './compose.ts';
import { gatherMaterial } from './material.ts';
import type { PromptModel } from './settings.ts';

/** Time reserved from the deadline for storing the finished prompt. */
const STORE_MS = 5_000;
const BY_TEMPLATE = 'template';

/**
 * Writes a prompt and stores it with the item. The model works before the transaction begins: it may take long, but holds nothing.
 * @param model undefined: none is configured, and a template is used
 */
export function generatePrompt(model: PromptModel | undefined) {
  return async (
    { id }: Input<typeof operation>,
    context: StagedContext<FailureOf<typeof operation>, Output<typeof operation>>,
  ): Promise<Output<typeof operation>> => {
    const item = await requireItem(context, id);
    const material = await gatherMaterial(context, item);
    const text = model
      ? await askModel(model, questionFor(material), context.deadlineAtMs - STORE_MS, context)
      : promptByTemplate(material);
    const prompt = { text, generatedAt: new Date().toISOString(), generatedBy: model?.model ?? BY_TEMPLATE };

    return context.commit(async (committing) => {
      const scope = { ...context, ...committing };
      // Its current state: others may have changed it while the model was writing.
      const current = await requireItem(scope, item._id);
      const { changes, described } = differenceOf(current, { metadata: merged(scope, current.metadata, { prompt }) });
      changeItem(scope, current, await boardOf(scope, current), changes, [
        { type: 'work_item.updated', data: { changes: described } },
      ]);
      return {
        prompt: text,
        context: {
          workItemId: current._id,
          taskId: current.taskId,
          title: current.title,
          type: current.type,
          projectName: material.project.name,
          siblingsCount: material.siblings.length,
          hasParent: material.ancestors.length > 0,
        },
        savedToDb: true,
      };
    });
  };
}
