import {
  addAttachment,
  addedBefore,
  deleteAttachment,
  listAttachments,
  readAttachment,
} from '../attachments/operations.ts';
import { serviceContract } from '../operation.ts';
import { createBoard, getBoard, listBoards, updateBoard } from '../projects/board-operations.ts';
import { createLabel, deleteLabel, listLabels, updateLabel } from '../projects/label-operations.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjectNames,
  listProjects,
  updateProject,
} from '../projects/project-operations.ts';
import { batchMoveWorkItems } from './batch-move.ts';
import { setBudget, setItemBudget, setProjectBudget } from './budget.ts';
import { listCards } from './cards.ts';
import { addWorkItemComment, answerQuestion } from './comment.ts';
import { completeAiTask, completeReview, completeValidation } from './completions.ts';
import { getIdeationContext, getImplementContext, getReviewContext, getValidateContext } from './context.ts';
import { createWorkItem } from './create.ts';
import { createEpic, createFeature, createStory, createTask } from './create-in-backlog.ts';
import { createWorkItems } from './create-items.ts';
import { deleteWorkItem } from './delete.ts';
import { getWorkItemEvents } from './events.ts';
import { getWorkItem } from './get.ts';
import { claimWorkItem, releaseWorkItem } from './leases.ts';
import { getItemBrief, getLineage } from './lineage.ts';
import { listWorkItems } from './list.ts';
import { listModelPrices } from './model-prices.ts';
import { moveWorkItem } from './move.ts';
import { reportProgress } from './progress.ts';
import { generateWorkItemPrompt, getWorkItemPrompt } from './prompts.ts';
import { resolveWorkItems } from './resolve.ts';
import { recordAiSession } from './sessions.ts';
import { updateWorkItem } from './update.ts';
import { getAiUsage } from './usage.ts';

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
  listLabels,
  createLabel,
  updateLabel,
  deleteLabel,
  listCards,
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
  getItemBrief,
  getLineage,
  listAttachments,
  addAttachment,
  addedBefore,
  readAttachment,
  deleteAttachment,
]);
