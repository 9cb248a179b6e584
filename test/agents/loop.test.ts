import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMcp, type McpClient } from '../mcp/connect.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

const AGENTS = 3;
const TASKS = 6;

let system: System;
let organization: TestOrganization;
let agents: McpClient[];
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  agents = await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: `Agent ${n}` });
      return connectMcp('client 2.x, automatic', system.baseUrl, data.key, organization.projectId);
    }),
  );
});
afterAll(() => Promise.all(agents.map((agent) => agent.close())));

async function tool<Result>(client: McpClient, name: string, args: object): Promise<Result> {
  const result = await client.call(name, { ...args });
  if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
  return result.structuredContent as Result;
}

interface Claim {
  readonly workItem: WorkItem | null;
  readonly lease: { readonly token: string } | null;
  readonly rework?: { readonly from: string; readonly summary: string; readonly issues: readonly string[] };
  readonly previous?: { readonly checkpoint: unknown };
  readonly reason?: string;
}
interface Context {
  readonly tasks: readonly { readonly taskId: string; readonly state: string }[];
  readonly waves: readonly (readonly string[])[];
}

// Some one hundred and fifty calls.
const TIMEOUT_MS = 180_000;

/** All that the agents know are the names of tools and columns: nothing here bypasses the tools. */
test('three agents finish six tasks with the tools alone, though one review and one validation fail', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [lead] = agents as [McpClient];
  const epic = await tool<WorkItem>(lead, 'create_epic', { title: 'Dark mode' });
  const tasks: WorkItem[] = [];
  for (let n = 0; n < TASKS; n++) {
    const dependsOn = [n - 2, n - 3].filter((index) => index >= 0).map((index) => tasks[index]?.taskId);
    tasks.push(await tool<WorkItem>(lead, 'create_task', { title: `Task ${n}`, parentId: epic.taskId, dependsOn }));
  }
  const [, second, , fourth] = tasks as [WorkItem, WorkItem, WorkItem, WorkItem];
  const failing = new Map([
    [second.taskId, 'review'],
    [fourth.taskId, 'validation'],
  ]);

  const claims: { readonly taskId: string; readonly from: string | undefined; readonly previous: unknown }[] = [];
  let changed = Promise.withResolvers<void>();
  let left = TASKS;
  const tell = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  async function work(agent: McpClient, name: string): Promise<void> {
    while (left > 0) {
      // Before the claim: what changes after that would be missed.
      const change = changed.promise;
      const claimed = await tool<Claim>(agent, 'claim_work_item', { agent: name });
      const { workItem, lease, rework, previous, reason } = claimed;
      if (!workItem || !lease) {
        if (left === 0) return;
        expect(reason).toMatch(/W-T-\d+ (is held by|waits for|is in)|no pending task/);
        await change;
        continue;
      }
      const { id: workItemId, taskId } = workItem;
      claims.push({ taskId, from: rework?.from, previous: previous?.checkpoint });
      const leaseToken = lease.token;
      const beat = { note: 'Half of it', progress: 0.5, model: 'gpt-5', totalTokens: 500, checkpoint: { taskId } };
      expect(await tool(agent, 'report_progress', { workItemId, leaseToken, ...beat })).toMatchObject({ stop: false });
      const session = { model: 'gpt-5', totalTokens: 1_000 };
      await tool(agent, 'complete_ai_task', { workItemId, leaseToken, reviewColumnId: 'Review', ...session });
      tell();
      const fails = rework ? undefined : failing.get(taskId);
      if (fails === 'review') {
        const issues = ['src/a.ts: a type'];
        await tool(agent, 'complete_review', { workItemId, result: 'fail', summary: 'It does not compile.', issues });
        tell();
        continue;
      }
      await tool(agent, 'complete_review', { workItemId, result: 'pass', summary: 'Fine' });
      const testResults = fails ? { passed: 3, failed: 1, testFiles: ['test/a.test.ts'] } : { passed: 4, failed: 0 };
      await tool(agent, 'complete_validation', { workItemId, testResults, ...session });
      if (!fails) {
        await tool(agent, 'move_work_item', { workItemId, boardColumnId: 'Done' });
        left--;
      }
      tell();
    }
  }
  await Promise.all(agents.map((agent, n) => work(agent, `agent ${n}`)));

  // Each task was claimed once, and those sent back once more, with what to fix and what was left.
  const times = Map.groupBy(claims, ({ taskId }) => taskId);
  for (const { taskId } of tasks) {
    const own = times.get(taskId) ?? [];
    const from = failing.get(taskId);
    expect(own, taskId).toEqual([
      { taskId, from: undefined, previous: undefined },
      ...(from ? [{ taskId, from, previous: { taskId } }] : []),
    ]);
  }
  const context = await tool<Context>(lead, 'get_implement_context', { ids: [epic.taskId] });
  expect(context.tasks.map(({ state }) => state)).toEqual(tasks.map(() => 'done'));
  expect((await tool<WorkItem>(lead, 'get_work_item', { id: epic.taskId })).columnName).toBe('Done');
});

test('a member cannot set a budget; null removes it over REST', async () => {
  const { data: epic } = await organization.call<WorkItem>('POST', '/api/work-items', {
    title: 'Limited',
    type: 'epic',
    boardId: organization.boardId,
    boardColumnId: 'Backlog',
  });
  const path = `/api/work-items/${epic.taskId}/budget`;
  const set = await organization.call('PUT', path, { limitUsd: 5, period: 'month' });
  expect(set).toMatchObject({ status: 200, data: { budget: { of: epic.taskId, limitUsd: 5, period: 'month' } } });
  const usage = () => organization.call('GET', `/api/ai-usage?workItemId=${epic.taskId}`);
  expect((await usage()).data).toMatchObject({ budget: { limitUsd: 5 } });
  expect(await organization.call('PUT', path, null)).toMatchObject({ status: 200, data: { budget: null } });
  expect((await usage()).data).toMatchObject({ budget: null });
  expect((await organization.call('PUT', path, {})).status).toBe(400);
  const ofProject = `/api/projects/${organization.projectId}/budget`;
  expect(await organization.call('PUT', ofProject, { limitUsd: 1 })).toMatchObject({
    data: { budget: { of: 'project', period: 'total' } },
  });
  expect(await organization.call('PUT', ofProject, { limitUsd: null })).toMatchObject({ data: { budget: null } });

  const member = await organization.newUser({}, { permissions: ['work-items:read', 'work-items:write'] });
  const refused = await member.call('PUT', path, { limitUsd: 9 });
  expect(refused).toMatchObject({ status: 403, error: { code: 'PERMISSION_DENIED' } });
});
