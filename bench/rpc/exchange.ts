/** What every side sends in a call, and gets back: a small request and a work item of some 800 bytes, as JSON. */
export interface Question {
  readonly workItemId: string;
}

export function questionOf(n: number): Question {
  return { workItemId: `0190a1b2-c3d4-7e5f-8a6b-${n.toString(16).padStart(12, '0')}` };
}

export function respond({ workItemId }: Question) {
  return {
    id: workItemId,
    taskId: 'W-T-1042',
    title: 'Show what a failed upload was refused for',
    description:
      'A person who drops a file that is too large sees nothing at all. Say what was refused and why, beside the file, and keep the others going. '.repeat(
        2,
      ),
    type: 'task',
    priority: 'medium',
    assignee: 'ada@example.com',
    boardId: '0190a1b2-c3d4-7e5f-8a6b-000000000001',
    boardColumnId: '0190a1b2-c3d4-7e5f-8a6b-000000000002',
    columnName: 'In Progress',
    parentId: null,
    projectId: '0190a1b2-c3d4-7e5f-8a6b-000000000003',
    position: 7,
    metadata: {},
    isAiProcessing: false,
    version: 3,
    createdAt: '2026-01-05T09:30:00.000Z',
    updatedAt: '2026-01-06T16:12:09.512Z',
  };
}
export type Answer = ReturnType<typeof respond>;
