import { randomUUID } from 'node:crypto';
import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT_KINDS, connectMcp, type McpClient } from '../mcp/connect.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

const TASKS = 40;
const AGENTS = 8;
const MODELS = ['claude-opus-4-5', 'gpt-5', 'gpt-4o-mini', 'nobody-knows-it'];

let system: System;
let organization: TestOrganization;
let agents: McpClient[];

beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  // Each agent has a key of its own, and together they cover all protocols that today's clients speak.
  agents = await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      const key = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: `Agent ${n}` });
      const kind = CLIENT_KINDS[n % CLIENT_KINDS.length] as (typeof CLIENT_KINDS)[number];
      return connectMcp(kind, system.baseUrl, key.data.key, organization.projectId);
    }),
  );
});
afterAll(() => Promise.all(agents.map((agent) => agent.close())));

async function tool<Result>(client: McpClient, name: string, args: object): Promise<Result> {
  const result = await client.call(name, { ...args }, { 'worktrack/idempotencyKey': randomUUID() });
  if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
  return result.structuredContent as Result;
}

interface Claim {
  readonly workItem: WorkItem | null;
  readonly lease: { readonly token: string } | null;
}

/** Five tasks that wait for nothing, then each waits for up to three of those before it. */
async function plan(lead: McpClient) {
  const epic = await tool<WorkItem>(lead, 'create_epic', { title: 'The epic' });
  const feature = await tool<WorkItem>(lead, 'create_feature', { title: 'The feature', parentId: epic.id });
  const tasks: WorkItem[] = [];
  for (let n = 0; n < TASKS; n++) {
    const before = [n - 3, n - 5, n - 11].filter((index, order) => index >= 0 && (n + order) % 4 !== 0 && n >= 5);
    const dependsOn = before.map((index, order) => (order % 2 ? tasks[index]?.id : tasks[index]?.taskId));
    tasks.push(
      await tool<WorkItem>(lead, 'create_task', {
        title: `Task ${n}`,
        priority: (['low', 'medium', 'high', 'urgent'] as const)[n % 4],
        parentId: n % 2 ? epic.id : feature.id,
        metadata: { dependsOn },
      }),
    );
  }
  return { epic, feature, tasks };
}

// Some three hundred calls, most of them writes: half a minute on a busy machine.
const TIMEOUT_MS = 300_000;

test('agents in parallel do an epic in the order of its dependencies, each task once, and every trace of it adds up', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [lead] = agents as [McpClient];
  const { epic, feature, tasks } = await plan(lead);
  interface Plan {
    readonly tasks: readonly { readonly taskId: string; readonly dependsOn: readonly string[] }[];
    readonly waves: readonly (readonly string[])[];
  }
  const planned = await tool<Plan>(lead, 'get_implement_context', { ids: [epic.taskId] });
  expect(planned.waves.flat().sort()).toEqual(tasks.map(({ taskId }) => taskId).sort());
  const dependenciesOf = new Map(planned.tasks.map(({ taskId, dependsOn }) => [taskId, dependsOn]));

  const { columns } = organization;
  const claims: string[] = [];
  const sessions: { readonly tokens: number; readonly cost: string }[] = [];
  let handedOver = Promise.withResolvers<void>();
  let left = TASKS;

  async function work(agent: McpClient, name: string): Promise<void> {
    while (left > 0) {
      // Before the claim: what is handed over after that would be missed.
      const change = handedOver.promise;
      const { workItem, lease } = await tool<Claim>(agent, 'claim_work_item', { ids: [epic.id], agent: name });
      if (!workItem || !lease) {
        if (left > 0) await change;
        continue;
      }
      claims.push(workItem.taskId);
      expect(workItem).toMatchObject({ assignee: name, columnName: 'In Progress', isAiProcessing: true });
      const report = { workItemId: workItem.id, model: MODELS[claims.length % MODELS.length] };
      const completed = await tool<{ totalTokens: number; estimatedCost: string }>(agent, 'complete_ai_task', {
        ...report,
        reviewColumnId: columns.Review,
        totalTokens: 1_000 + claims.length,
        leaseToken: lease.token,
        userActions: `- check ${workItem.title}`,
      });
      left--;
      handedOver.resolve();
      handedOver = Promise.withResolvers<void>();
      await tool(agent, 'complete_review', { workItemId: workItem.id, result: 'pass', summary: 'Fine' });
      const validated = await tool<typeof completed>(agent, 'complete_validation', {
        ...report,
        totalTokens: 7,
        testResults: { passed: 1, failed: 0 },
      });
      sessions.push(...[completed, validated].map((of) => ({ tokens: of.totalTokens, cost: of.estimatedCost })));
      await tool(agent, 'move_work_item', { workItemId: workItem.id, boardColumnId: columns.Done });
    }
  }
  await Promise.all(agents.map((agent, n) => work(agent, `agent ${n}`)));

  // Every task is done, and was claimed once.
  expect([...claims].sort()).toEqual(tasks.map(({ taskId }) => taskId).sort());
  const historyOf = async (workItemId: string) =>
    (await tool<{ events: HistoryEvent[] }>(lead, 'get_work_item_events', { workItemId, limit: 200 })).events.reverse();
  const movedTo = (events: readonly HistoryEvent[]) =>
    events.filter(({ eventType }) => eventType === 'moved').map(({ data }) => data.toColumn);
  const histories = new Map<string, HistoryEvent[]>();
  for (const { id, taskId } of tasks) {
    const events = await historyOf(id);
    histories.set(taskId, events);
    expect(movedTo(events)).toEqual(['In Progress', 'Review', 'Testing', 'To Document', 'Done']);
    expect(events.filter(({ eventType }) => eventType === 'ai_session')).toHaveLength(2);
    expect(events[0]?.eventType).toBe('created');
  }

  // None was started before what it depends on was handed over.
  const at = (taskId: string, column: string) =>
    Date.parse(histories.get(taskId)?.find(({ data }) => data.toColumn === column)?.createdAt ?? '');
  for (const [taskId, dependencies] of dependenciesOf) {
    for (const dependency of dependencies) {
      expect(at(taskId, 'In Progress')).toBeGreaterThanOrEqual(at(dependency, 'Review'));
    }
  }

  // The parents followed, and their history says why.
  for (const parent of [feature, epic]) {
    const events = await historyOf(parent.id);
    expect(movedTo(events)).toEqual(['In Progress', 'Done']);
    for (const { data } of events.filter(({ eventType }) => eventType === 'moved')) {
      expect(data).toMatchObject({ isAutoSync: true, causedBy: expect.any(String) });
    }
  }

  // The usage of the epic is the sum of all sessions.
  const costMicrodollars = sessions
    .filter(({ cost }) => cost !== 'unknown')
    .reduce((sum, { cost }) => sum + BigInt(cost.replace('.', '')), 0n);
  interface Usage {
    readonly totals: Record<string, unknown>;
    readonly groups: readonly { readonly label: string; readonly sessions: number }[];
  }
  const usage = await tool<Usage>(lead, 'get_ai_usage', { workItemId: epic.taskId, groupBy: 'workItem' });
  expect(usage.totals).toMatchObject({
    sessions: 2 * TASKS,
    totalTokens: sessions.reduce((sum, { tokens }) => sum + tokens, 0),
    estimatedCost: `${costMicrodollars / 1_000_000n}.${String(costMicrodollars % 1_000_000n).padStart(6, '0')}`,
    unpricedSessions: sessions.filter(({ cost }) => cost === 'unknown').length,
  });
  expect(usage.groups).toHaveLength(TASKS);
  expect(new Set(usage.groups.map((group) => group.sessions))).toEqual(new Set([2]));
});
