import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, failure, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
type Question = Parameters<typeof call<'workItems.usage'>>[2];
const usage = (question: Question = {}) => call(project.caller, 'workItems.usage', question);
const record = (workItemId: string, totalTokens: number, model = 'gpt-5') =>
  call(project.caller, 'workItems.recordSession', { workItemId, totalTokens, model, provider: 'openai' });

describe('get_ai_usage', () => {
  test('of any item is the sum over it and everything below it, whatever has been moved or deleted since', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ under: fc.nat(6), tokens: fc.integer({ min: 1, max: 1_000_000 }) }), {
          minLength: 2,
          maxLength: 6,
        }),
        fc.array(fc.record({ item: fc.nat(6), to: fc.option(fc.nat(6)), deleted: fc.boolean() }), { maxLength: 3 }),
        async (plan, changes) => {
          const { create, caller } = await startProject();
          /** The tree as it should be: own tokens, and those inherited from deleted children. */
          const tree = new Map<string, { parent: string | null; tokens: number }>();
          const ids: string[] = [];
          for (const { under, tokens } of plan) {
            const parentId = under < ids.length ? (ids[under] as string) : null;
            const { id } = await create('task', parentId ? { parentId } : {});
            ids.push(id);
            tree.set(id, { parent: parentId, tokens });
            await call(caller, 'workItems.recordSession', { workItemId: id, totalTokens: tokens, model: 'gpt-5' });
          }
          const isAbove = (above: string, id: string | null): boolean =>
            id !== null && (id === above || isAbove(above, tree.get(id)?.parent ?? null));
          for (const { item, to, deleted } of changes) {
            const id = ids[item % ids.length] as string;
            const node = tree.get(id);
            if (!node) continue;
            if (deleted) {
              await call(caller, 'workItems.delete', { id });
              const parent = node.parent === null ? undefined : tree.get(node.parent);
              if (parent) parent.tokens += node.tokens;
              tree.delete(id);
              for (const child of tree.values()) if (child.parent === id) child.parent = null;
            } else {
              const parentId = to === null ? null : (ids[to % ids.length] as string);
              if (parentId !== null && (!tree.has(parentId) || isAbove(id, parentId))) continue;
              await call(caller, 'workItems.update', { id, parentId });
              node.parent = parentId;
            }
          }
          for (const id of tree.keys()) {
            const below = [...tree].filter(([other]) => isAbove(id, other));
            const { totals } = await call(caller, 'workItems.usage', { workItemId: id });
            expect(totals.totalTokens).toBe(below.reduce((sum, [, { tokens }]) => sum + tokens, 0));
          }
          const { totals } = await call(caller, 'workItems.usage', {});
          expect(totals).toMatchObject({
            sessions: plan.length,
            totalTokens: plan.reduce((sum, { tokens }) => sum + tokens, 0),
          });
        },
      ),
      { numRuns: 8 },
    );
  });

  test('is grouped by model, provider, type, day and work item, with the same sums in each group', async () => {
    const one = await project.create('task');
    const two = await project.create('task');
    await record(one.id, 1_000_000);
    await record(two.id, 2_000_000);
    await record(two.id, 3, 'nobody-knows-it');
    const { totals } = await usage();
    expect(totals).toMatchObject({
      sessions: 3,
      totalTokens: 3_000_003,
      estimatedCost: '10.312500',
      unpricedSessions: 1,
    });
    const groups = async (groupBy: NonNullable<Question['groupBy']>) =>
      (await usage({ groupBy })).groups?.map(({ key, label, totalTokens }) => [key, label, totalTokens]);
    expect(await groups('model')).toEqual([
      ['gpt-5', 'gpt-5', 3_000_000],
      ['nobody-knows-it', 'nobody-knows-it', 3],
    ]);
    expect(await groups('workItem')).toEqual([
      [two.id, two.taskId, 2_000_003],
      [one.id, one.taskId, 1_000_000],
    ]);
    expect(await groups('provider')).toEqual([['openai', 'openai', 3_000_003]]);
    expect(await groups('sessionType')).toEqual([['implement', 'implement', 3_000_003]]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await groups('day')).toEqual([[today, today, 3_000_003]]);
  });

  test('is grouped by epic with the epic’s own sum, whatever is in between, and what is below no epic once', async () => {
    const epic = await project.create('epic');
    const feature = await project.create('feature', { parentId: epic.id });
    const story = await project.create('story', { parentId: feature.id });
    const task = await project.create('task', { parentId: story.id });
    const another = await project.create('epic');
    const outside = await project.create('task');
    await record(task.id, 1_000_000);
    await record(epic.id, 500_000, 'nobody-knows-it');
    await record(another.id, 250_000);
    await record(outside.id, 20);
    const deleted = await project.create('task', { parentId: story.id });
    await record(deleted.id, 5);
    await call(project.caller, 'workItems.delete', { id: deleted.id });
    const { groups = [] } = await usage({ groupBy: 'epic' });
    expect(groups.map(({ key, label, totalTokens }) => [key, label, totalTokens])).toEqual([
      [epic.id, epic.taskId, 1_500_005],
      [another.id, another.taskId, 250_000],
      ['none', 'none', 20],
    ]);
    for (const { key, label, ...sums } of groups.slice(0, 2)) {
      expect(sums).toEqual((await usage({ workItemId: key })).totals);
    }
    expect(groups[0]).toMatchObject({ unpricedSessions: 1 });
  });

  test('covers the time asked for: a day counts to its end', async () => {
    const item = await project.create('task');
    await record(item.id, 7);
    const now = Date.now();
    const day = (offset: number) => new Date(now + offset * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
    const tokens = async (period: Question) => (await usage(period)).totals.totalTokens;
    expect(await tokens({ from: day(-1), to: day(0) })).toBe(7);
    expect(await tokens({ from: day(-3), to: day(-2) })).toBe(0);
    expect(await tokens({ from: new Date(now + 60_000).toISOString() })).toBe(0);
    for (const to of [day(-1), day(0), `${day(1)}T00:30:00+01:00`])
      expect(await failure(usage({ from: day(1), to }))).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await tokens({ from: day(1), to: `${day(1)}T01:00:00+01:00` })).toBe(0);
    expect(await tokens({ from: `${day(0)}T00:00Z`, to: day(0) })).toBe(7);
  });

  test('covers the session’s project unless another is named, and no other organization', async () => {
    const other = await startProject('Another', project.organization);
    const item = await other.create('task');
    await record(item.id, 7);
    expect((await usage()).totals.sessions).toBe(0);
    expect((await usage({ projectId: other.project.id })).totals.sessions).toBe(1);
    expect((await usage({ workItemId: item.taskId })).totals.sessions).toBe(1);
    expect((await call(project.organization, 'workItems.usage', {})).totals.sessions).toBe(1);
    const stranger = await startProject();
    const asked = call(stranger.caller, 'workItems.usage', { workItemId: item.id });
    expect(await failure(asked)).toMatchObject({ code: 'NOT_FOUND' });
    const misplaced = usage({ workItemId: item.id, projectId: project.project.id });
    expect(await failure(misplaced)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
