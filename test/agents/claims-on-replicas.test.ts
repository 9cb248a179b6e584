import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';

const CALLERS = 14;
const TASKS = 9;

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startSystem({ replicas: { workitems: 2 } });
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

interface Claim {
  readonly claimed: boolean;
  readonly workItem: WorkItem | null;
}

test('over two replicas no two callers get the same task, and none fails because of others’ conflicts', async () => {
  const epic = await organization.call<WorkItem>('POST', '/api/work-items', {
    title: 'The epic',
    type: 'epic',
    boardId: organization.boardId,
    boardColumnId: organization.columns.Backlog,
  });
  const tasks = await Promise.all(
    Array.from({ length: TASKS }, (_, n) =>
      organization.call<WorkItem>('POST', '/api/work-items', {
        title: `Task ${n}`,
        type: 'task',
        parentId: epic.data.id,
        boardId: organization.boardId,
        boardColumnId: organization.columns['To Do'],
      }),
    ),
  );
  const claims = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      organization.call<Claim>('POST', '/api/work-items/claim', {
        agent: `agent ${n}`,
        ...(n % 2 ? { projectId: organization.projectId } : { ids: [epic.data.taskId] }),
      }),
    ),
  );
  expect(claims.map(({ status }) => status)).toEqual(claims.map(() => 200));
  const got = claims.flatMap(({ data }) => data.workItem?.id ?? []);
  expect(got.sort()).toEqual(tasks.map(({ data }) => data.id).sort());
});
