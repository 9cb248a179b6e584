import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  newCaller,
  startProject,
  startReplicas,
  startWorkItems,
  stopWorkItems,
  type TestProject,
} from '../testing.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let project: TestProject;
beforeEach(async () => {
  project = await startProject();
});
const find = async (externalId: string, fields: object = {}) =>
  (await call(project.caller, 'workItems.list', { externalId, ...fields })).workItems;

describe('an external id', () => {
  test('leads to the item that has it, which is answered unchanged, by every tool that creates', async () => {
    const first = await project.create('task', { externalId: 'ci/build 17', title: 'First' });
    expect(first).toMatchObject({ externalId: 'ci/build 17', created: true });
    const { created: _, ...item } = first;
    const again = await project.create('story', { externalId: 'ci/build 17', title: 'Second', column: 'Done' });
    expect(again).toEqual({ ...item, created: false });
    const shortcut = await call(project.caller, 'workItems.createTask', { title: 'Third', externalId: 'ci/build 17' });
    expect(shortcut).toEqual({ ...item, created: false });
    expect(await project.get(item.id)).toEqual(item);
    expect(await project.history(item.id)).toHaveLength(1);
    // No number was used up for it.
    expect((await project.create('task')).taskId).toBe('W-T-2');
  });

  test('is unique only within its project, and free again once the item is deleted', async () => {
    const item = await project.create('task', { externalId: 'same' });
    const other = await startProject('Another', project.organization);
    const elsewhere = await other.create('task', { externalId: 'same' });
    expect(elsewhere).toMatchObject({ created: true });
    expect((await find('same')).map(({ id }) => id)).toEqual([item.id]);
    const everywhere = await call(project.organization, 'workItems.list', { externalId: 'same' });
    expect(everywhere.workItems.map(({ id }) => id)).toEqual([elsewhere.id, item.id]);
    expect(await find('same', { type: 'story' })).toEqual([]);
    expect(await find('another')).toEqual([]);
    await call(project.caller, 'workItems.delete', { id: item.id });
    expect(await find('same')).toEqual([]);
    expect(await project.create('task', { externalId: 'same' })).toMatchObject({ created: true });
  });

  test.each(['', ' x', 'x ', 'a\nb', 'a\u0000b', 'a\u2028b', 'x'.repeat(201)])('%j is refused', async (externalId) => {
    await expect(project.create('task', { externalId })).rejects.toThrow();
  });

  test.each(['a', 'https://ci.example.com/builds/17?x=$1&y=a.b', '日本 #1', 'x'.repeat(200)])(
    '%j is accepted',
    async (given) => {
      expect((await project.create('task', { externalId: given })).externalId).toBe(given);
      expect(await find(given)).toHaveLength(1);
    },
  );

  test('of 20 that are created at once on two replicas leaves one item, and no number is skipped', async () => {
    const replicas = await startReplicas(2);
    const own = await startProject('Worktrack', newCaller(), replicas.call);
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) => own.create('task', { title: `Build ${n}`, externalId: 'build 17' })),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const { workItems } = await replicas.call(own.caller, 'workItems.list', {});
    expect(workItems).toHaveLength(1);
    await replicas.stop();
  });

  test('of many, each given twice at once, leaves one item for each, and nobody waits for long', async () => {
    const ids = Array.from({ length: 16 }, (_, n) => `build ${n}`);
    const made = await Promise.all([...ids, ...ids].map((externalId) => project.create('task', { externalId })));
    expect(made.filter(({ created }) => created)).toHaveLength(ids.length);
    expect(new Set(made.map(({ id }) => id)).size).toBe(ids.length);
  });
});
