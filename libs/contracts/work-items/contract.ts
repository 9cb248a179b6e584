import { serviceContract } from '../operation.ts';
import { createBoard, getBoard, listBoards, updateBoard } from '../projects/board-operations.ts';
import { createProject, getProject, listProjects, updateProject } from '../projects/project-operations.ts';
import { batchMoveWorkItems } from './batch-move.ts';
import { addWorkItemComment } from './comment.ts';
import { createWorkItem } from './create.ts';
import { createEpic, createFeature, createStory, createTask } from './create-in-backlog.ts';
import { deleteWorkItem } from './delete.ts';
import { getWorkItemEvents } from './events.ts';
import { getWorkItem } from './get.ts';
import { listWorkItems } from './list.ts';
import { moveWorkItem } from './move.ts';
import { resolveWorkItems } from './resolve.ts';
import { updateWorkItem } from './update.ts';

export const workItemsContract = serviceContract('workitems', [
  listProjects,
  createProject,
  getProject,
  updateProject,
  listBoards,
  createBoard,
  getBoard,
  updateBoard,
  listWorkItems,
  getWorkItem,
  resolveWorkItems,
  getWorkItemEvents,
  createWorkItem,
  createTask,
  createStory,
  createFeature,
  createEpic,
  updateWorkItem,
  moveWorkItem,
  batchMoveWorkItems,
  deleteWorkItem,
  addWorkItemComment,
]);
