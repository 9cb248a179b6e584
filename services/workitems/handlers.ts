import type {
  createEpic,
  createFeature,
  createStory,
  createTask,
} from '@worktrack/contracts/work-items/changes/create-in-backlog';
import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { batched, grouped, receiving, sending, write } from '@worktrack/runtime/database/handlers/handler-kinds';
import { implement } from '@worktrack/runtime/database/handlers/implement';
import { createBoard } from './administration/create-board.ts';
import { createProject } from './administration/create-project.ts';
import { deleteBoard } from './administration/delete-board.ts';
import { deleteProject } from './administration/delete-project.ts';
import { createLabel, deleteLabel, listLabels, updateLabel } from './administration/labels.ts';
import { getBoard, listBoards } from './administration/read-boards.ts';
import { getProject, listProjectNames, listProjects } from './administration/read-projects.ts';
import { setBudget, setItemBudget, setProjectBudget } from './administration/set-budget.ts';
import { updateBoard } from './administration/update-board.ts';
import { updateProject } from './administration/update-project.ts';
import { addAttachment, addedBefore } from './attachments/add.ts';
import { deleteAttachment } from './attachments/delete.ts';
import { listAttachments } from './attachments/list.ts';
import { readAttachment } from './attachments/read.ts';
import { listNeeds } from './attention/list.ts';
import { summarizeWorkItems } from './attention/summaries.ts';
import { completeAiTask } from './completions/ai-task.ts';
import { completeReview } from './completions/review.ts';
import { completeValidation } from './completions/validation.ts';
import { getIdeationContext } from './context/ideation.ts';
import { getImplementContext } from './context/implement.ts';
import { getReviewContext } from './context/review.ts';
import { getValidateContext } from './context/validate.ts';
import { batchUpdateWorkItems } from './editing/batch-update.ts';
import { addWorkItemComment, answerQuestion } from './editing/comment.ts';
import { createWorkItem } from './editing/create.ts';
import { createInBacklog } from './editing/create-in-backlog.ts';
import { createWorkItems } from './editing/create-items.ts';
import { deleteWorkItem } from './editing/delete.ts';
import { updateWorkItem } from './editing/update.ts';
import { getWorkItemEvents } from './history/events.ts';
import { areSameItems } from './history/same-items.ts';
import { getWorkItems } from './items/shown/get.ts';
import { claimWorkItem } from './leases/claim.ts';
import { reportProgress } from './leases/progress.ts';
import { releaseWorkItem } from './leases/release.ts';
import { WaitingClaims } from './leases/waiting-claims.ts';
import { getItemBrief } from './lineage/brief.ts';
import { getLineage } from './lineage/lineage.ts';
import { listCards, listProjectCards } from './lists/cards.ts';
import { listGroups } from './lists/groups/groups.ts';
import { listWorkItems } from './lists/list.ts';
import { openBoard } from './lists/open-board.ts';
import { batchMoveWorkItems } from './moves/batch-move.ts';
import { moveWorkItem } from './moves/move.ts';
import { nameUser } from './people/name-user.ts';
import { generatePrompt } from './prompts/generate.ts';
import { getWorkItemPrompt } from './prompts/read.ts';
import type { PromptModel } from './prompts/settings.ts';
import { resolveWorkItems } from './trees/resolve.ts';
import { getAiUsage } from './usage/ai-usage.ts';
import { listModelPrices } from './usage/model-prices.ts';
import { recordAiSession } from './usage/record-session.ts';
import { createView, deleteView, listViews, updateView } from './views/views.ts';

/**
 * @param promptModel undefined: prompts are written from the template
 * @param waitingClaims if calls may wait: they do when they come through a queue
 */
export function handlers(promptModel: PromptModel | undefined, waitingClaims = new WaitingClaims()) {
  return implement(
    workItemsContract,
    {
      'projects.list': listProjects,
      'projects.names': listProjectNames,
      'projects.create': createProject,
      'projects.get': getProject,
      'projects.update': updateProject,
      'projects.delete': deleteProject,
      'projects.setBudget': setProjectBudget,
      'boards.list': listBoards,
      'boards.create': createBoard,
      'boards.get': getBoard,
      'boards.update': updateBoard,
      'boards.delete': deleteBoard,
      'labels.list': listLabels,
      'labels.create': createLabel,
      'labels.update': updateLabel,
      'labels.delete': deleteLabel,
      'views.list': listViews,
      'views.create': createView,
      'views.update': updateView,
      'views.delete': deleteView,
      'boards.cards': listCards,
      'projects.cards': listProjectCards,
      'projects.groups': listGroups,
      'boards.open': openBoard,
      'workItems.list': listWorkItems,
      'workItems.get': batched(getWorkItems),
      'workItems.resolve': batched(resolveWorkItems),
      'workItems.events': getWorkItemEvents,
      'workItems.create': grouped(createWorkItem),
      'workItems.createMany': grouped(createWorkItems),
      'workItems.createTask': grouped<typeof createTask>(createInBacklog('task')),
      'workItems.createStory': grouped<typeof createStory>(createInBacklog('story')),
      'workItems.createFeature': grouped<typeof createFeature>(createInBacklog('feature')),
      'workItems.createEpic': grouped<typeof createEpic>(createInBacklog('epic')),
      'workItems.update': grouped(updateWorkItem),
      'workItems.move': grouped(moveWorkItem),
      'workItems.batchMove': grouped(batchMoveWorkItems),
      'workItems.batchUpdate': grouped(batchUpdateWorkItems),
      'workItems.delete': grouped(deleteWorkItem),
      'workItems.comment': grouped(addWorkItemComment),
      'workItems.answer': grouped(answerQuestion),
      'workItems.completeReview': grouped(completeReview),
      'workItems.completeValidation': grouped(completeValidation),
      'workItems.completeAiTask': grouped(completeAiTask),
      'workItems.recordSession': grouped(recordAiSession),
      'workItems.usage': getAiUsage,
      'workItems.modelPrices': listModelPrices,
      'workItems.claim': grouped(claimWorkItem, waitingClaims),
      'workItems.progress': grouped(reportProgress),
      'workItems.release': grouped(releaseWorkItem),
      'workItems.setBudget': setBudget,
      'workItems.setItemBudget': setItemBudget,
      'workItems.implementContext': getImplementContext,
      'workItems.ideationContext': getIdeationContext,
      'workItems.reviewContext': getReviewContext,
      'workItems.validateContext': getValidateContext,
      'workItems.generatePrompt': write(generatePrompt(promptModel), { staged: true }),
      'workItems.getPrompt': getWorkItemPrompt,
      'workItems.needs': listNeeds,
      'workItems.summaries': summarizeWorkItems,
      'workItems.nameUser': nameUser,
      'workItems.brief': getItemBrief,
      'workItems.lineage': getLineage,
      'attachments.list': listAttachments,
      'attachments.add': receiving(addAttachment),
      'attachments.addedBefore': addedBefore,
      'attachments.read': sending(readAttachment),
      'attachments.delete': deleteAttachment,
    },
    areSameItems,
  );
}
