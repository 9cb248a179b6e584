import {
  addAttachment,
  addedBefore,
  deleteAttachment,
  listAttachments,
  readAttachment,
} from '../attachments/operations.ts';
import { serviceContract } from '../operation.ts';
import { createBoard, deleteBoard, getBoard, listBoards, updateBoard } from '../projects/board-operations.ts';
import { createLabel, deleteLabel, listLabels, updateLabel } from '../projects/label-operations.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjectNames,
  listProjects,
  updateProject,
} from '../projects/project-operations.ts';
import { completeAiTask, completeReview, completeValidation } from './agents/completions.ts';
import { getIdeationContext, getImplementContext, getReviewContext, getValidateContext } from './agents/context.ts';
import { claimWorkItem, releaseWorkItem } from './agents/leases.ts';
import { getItemBrief, getLineage } from './agents/lineage.ts';
import { reportProgress } from './agents/progress.ts';
import { generateWorkItemPrompt, getWorkItemPrompt } from './agents/prompts.ts';
import { listNeeds, summarizeWorkItems } from './attention.ts';
import { batchMoveWorkItems } from './changes/batch-move.ts';
import { batchUpdateWorkItems } from './changes/batch-update.ts';
import { addWorkItemComment, answerQuestion } from './changes/comment.ts';
import { createWorkItem } from './changes/create.ts';
import { createEpic, createFeature, createStory, createTask } from './changes/create-in-backlog.ts';
import { createWorkItems } from './changes/create-items.ts';
import { deleteWorkItem } from './changes/delete.ts';
import { moveWorkItem } from './changes/move.ts';
import { updateWorkItem } from './changes/update.ts';
import { setBudget, setItemBudget, setProjectBudget } from './costs/budget.ts';
import { listModelPrices } from './costs/model-prices.ts';
import { recordAiSession } from './costs/sessions.ts';
import { getAiUsage } from './costs/usage.ts';
import { getWorkItemEvents } from './events.ts';
import { getWorkItem } from './get.ts';
import { listCards, listGroups, listProjectCards } from './lists/cards.ts';
import { listWorkItems } from './lists/list.ts';
import { openBoard } from './lists/open-board.ts';
import { createView, deleteView, listViews, updateView } from './lists/view-operations.ts';
import { nameUser } from './people.ts';
import { resolveWorkItems } from './resolve.ts';

export const workItemsContract = serviceContract('workitems', [
  listProjects,
  listProjectNames,
  createProject,
  getProject,
  updateProject,
  setProjectBudget,
  deleteProject,
  listBoards,
  createBoard,
  getBoard,
  updateBoard,
  deleteBoard,
  listLabels,
  createLabel,
  updateLabel,
  deleteLabel,
  listViews,
  createView,
  updateView,
  deleteView,
  listCards,
  listProjectCards,
  listGroups,
  openBoard,
  listWorkItems,
  getWorkItem,
  resolveWorkItems,
  getWorkItemEvents,
  createWorkItem,
  createWorkItems,
  createTask,
  createStory,
  createFeature,
  createEpic,
  updateWorkItem,
  moveWorkItem,
  batchMoveWorkItems,
  batchUpdateWorkItems,
  deleteWorkItem,
  addWorkItemComment,
  answerQuestion,
  claimWorkItem,
  reportProgress,
  releaseWorkItem,
  setItemBudget,
  setBudget,
  getImplementContext,
  completeAiTask,
  recordAiSession,
  getReviewContext,
  completeReview,
  getValidateContext,
  completeValidation,
  getIdeationContext,
  generateWorkItemPrompt,
  getWorkItemPrompt,
  getAiUsage,
  listModelPrices,
  listNeeds,
  summarizeWorkItems,
  nameUser,
  getItemBrief,
  getLineage,
  listAttachments,
  addAttachment,
  addedBefore,
  readAttachment,
  deleteAttachment,
]);
