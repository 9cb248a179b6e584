import { workItemsContract } from '@worktrack/contracts/work-items/contract';
import { implement } from '@worktrack/runtime/implement';
import { createBoard } from './boards/create.ts';
import { getBoard, listBoards } from './boards/read.ts';
import { updateBoard } from './boards/update.ts';
import { batchMoveWorkItems } from './items/batch-move.ts';
import { addWorkItemComment } from './items/comment.ts';
import { createWorkItem } from './items/create.ts';
import { createInBacklog } from './items/create-in-backlog.ts';
import { deleteWorkItem } from './items/delete.ts';
import { getWorkItemEvents } from './items/events.ts';
import { getWorkItem } from './items/get.ts';
import { listWorkItems } from './items/list.ts';
import { moveWorkItem } from './items/move.ts';
import { resolveWorkItems } from './items/resolve.ts';
import { updateWorkItem } from './items/update.ts';
import { createProject } from './projects/create.ts';
import { getProject, listProjects } from './projects/read.ts';
import { updateProject } from './projects/update.ts';

export const handlers = implement(workItemsContract, {
  'projects.list': listProjects,
  'projects.create': createProject,
  'projects.get': getProject,
  'projects.update': updateProject,
  'boards.list': listBoards,
  'boards.create': createBoard,
  'boards.get': getBoard,
  'boards.update': updateBoard,
  'workItems.list': listWorkItems,
  'workItems.get': getWorkItem,
  'workItems.resolve': resolveWorkItems,
  'workItems.events': getWorkItemEvents,
  'workItems.create': createWorkItem,
  'workItems.createTask': createInBacklog('task'),
  'workItems.createStory': createInBacklog('story'),
  'workItems.createFeature': createInBacklog('feature'),
  'workItems.createEpic': createInBacklog('epic'),
  'workItems.update': updateWorkItem,
  'workItems.move': moveWorkItem,
  'workItems.batchMove': batchMoveWorkItems,
  'workItems.delete': deleteWorkItem,
  'workItems.comment': addWorkItemComment,
});
