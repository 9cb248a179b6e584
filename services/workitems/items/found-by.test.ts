import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, startProject, startReplicas, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { foundBy } from './found-by.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

async function itemsOf({ caller: { organizationId } }: TestProject): Promise<ItemRecord[]> {
  return ItemModel.find({ organizationId }).lean();
}

/** What each item must be found by, computed from the parents alone. */
function expectConsistent(items: readonly ItemRecord[]): void {
  const byId = new Map(items.map((item) => [item._id, item]));
  const computed = (item: ItemRecord): string[] => {
    const parent = item.parentId === null ? undefined : byId.get(item.parentId);
    return foundBy(item, parent ? { ...parent, foundBy: computed(parent) } : null);
  };
  for (const item of items) expect(item.foundBy, item.taskId).toEqual(computed(item));
}

describe('what an item says of its ancestors', () => {
  test('is true after any creations, new parents, lost parents and deletions', async () => {
    const step = fc.record({ what: fc.constantFrom('create', 'hang', 'cut', 'delete'), a: fc.nat(), b: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const project = await startProject();
        const ids = [(await project.create('epic')).id];
        for (const { what, a, b } of steps) {
          const [one, other] = [ids[a % ids.length] ?? '', ids[b % ids.length] ?? ''];
          if (what === 'create') ids.push((await project.create('task', { parentId: one })).id);
          // Refused where it would close a cycle, and for epics.
          else if (what === 'hang') await project.update(one, { parentId: other }).catch(() => undefined);
          else if (what === 'cut') await project.update(one, { parentId: null });
          else if (ids.length > 1) {
            await call(project.caller, 'workItems.delete', { id: one });
            ids.splice(ids.indexOf(one), 1);
          }
        }
        expectConsistent(await itemsOf(project));
      }),
      { numRuns: 5 },
    );
  });

  test('is true after parents in one tree were changed from several replicas at once', async () => {
    const replicas = await startReplicas(3);
    const project = await startProject(undefined, undefined, replicas.call);
    const chain = (await project.create('task')).id;
    const tops = await Promise.all([1, 2, 3, 4].map(() => project.create('task', { parentId: chain })));
    const leaves = await Promise.all(tops.map(({ id }) => project.create('task', { parentId: id })));
    await Promise.allSettled([
      ...tops.map(({ id }, n) => project.update(id, { parentId: leaves[(n + 1) % 4]?.id ?? null })),
      ...leaves.map(({ id }) => project.create('task', { parentId: id })),
      ...leaves.map(({ id }, n) => project.update(id, { parentId: tops[(n + 2) % 4]?.id ?? null })),
      project.update(chain, { title: 'Changed meanwhile' }),
    ]);
    expectConsistent(await itemsOf(project));
    await replicas.stop();
  });
});
