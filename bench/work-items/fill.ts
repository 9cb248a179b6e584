import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '@worktrack/contracts/projects/project';
import type { System } from '../support/system.ts';

/** This many creations at a time: more is not faster. */
const TOGETHER = 16;
/** One in this many has the word that the search looks for. */
const RARE_EACH = 10;
export const RARE_WORD = 'sometimes';

/** A work item of the bare process. */
export interface BareItem {
  _id: string;
  taskId: string;
  title: string;
  description: string;
  type: string;
  priority: string;
  assignee?: string | null;
  boardId: string;
  boardColumnId: string;
  projectId: string;
  words: string[];
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface Fill {
  readonly items: readonly Omit<BareItem, 'createdAt' | 'updatedAt'>[];
  /** Columns that claims go from and to. */
  readonly toDo: string;
  readonly inProgress: string;
}

/** A project with tasks in its first column, and the same ones in the bare process. */
export interface FilledProject {
  readonly project: Project;
  readonly board: Board;
  readonly ids: readonly string[];
  readonly taskIds: readonly string[];
  column(name: string): string;
}

export async function fillProject(system: System, bareUrl: string, count: number): Promise<FilledProject> {
  const project = await system.call<Project>('POST', '/api/projects', { name: 'Bench' });
  const board = await system.call<Board>('GET', `/api/boards/${project.defaultBoardId}`);
  const column = (name: string) => board.columns.find((each) => each.name === name)?.id ?? '';
  const items: Fill['items'][number][] = [];
  let next = 0;
  const creator = async () => {
    while (next < count) {
      const n = next++;
      const fields = newItem(n, project, column('Backlog'));
      const { id, taskId } = await system.call<{ id: string; taskId: string }>('POST', '/api/work-items', fields);
      items.push({ _id: id, taskId, ...fields, words: fields.title.toLowerCase().split(' '), version: 1 });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, creator));
  const fill: Fill = { items, toDo: column('To Do'), inProgress: column('In Progress') };
  const response = await fetch(`${bareUrl}/fill`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fill),
  });
  if (!response.ok) throw new Error(await response.text());
  return { project, board, ids: items.map(({ _id }) => _id), taskIds: items.map(({ taskId }) => taskId), column };
}

/** @param n a number, or the text that a load replaces with a number */
export function newItem(n: number | string, project: Project, boardColumnId: string) {
  const rare = Number(n) % RARE_EACH === 0 ? ` ${RARE_WORD}` : '';
  return {
    title: `Write part ${n} of the reference${rare}`,
    description: 'What it does, what it takes, what it answers, and an example.',
    type: 'task',
    priority: 'medium',
    projectId: project.id,
    boardId: project.defaultBoardId,
    boardColumnId,
  };
}
