import type { System } from '../support/system.ts';

/** A project of the benchmark's organization, and what is done in it. */
export async function newProject({ call }: System) {
  const { id, defaultBoardId } = await call<{ id: string; defaultBoardId: string }>('POST', '/api/projects', {
    name: 'Bench',
  });
  const board = await call<{ columns: { id: string; name: string }[] }>('GET', `/api/boards/${defaultBoardId}`);
  const toDo = board.columns.find(({ name }) => name === 'To Do')?.id;
  return {
    id,
    /** It can be claimed at once. */
    newTask: (title: string) =>
      call<{ id: string; createdAt: string }>('POST', '/api/work-items', {
        title,
        type: 'task',
        boardId: defaultBoardId,
        boardColumnId: toDo,
      }),
  };
}

/** This many calls a second, however long each takes; resolves once all are answered. */
export async function paced(perSecond: number, seconds: number, call: (number: number) => Promise<unknown>) {
  const startedAtMs = performance.now();
  const calls: Promise<unknown>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(perSecond * seconds, ((performance.now() - startedAtMs) / 1_000) * perSecond);
      while (calls.length < due) calls.push(call(calls.length));
      if (calls.length < perSecond * seconds) return;
      clearInterval(timer);
      resolve();
    }, 2);
  });
  await Promise.all(calls);
}
