import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import {
  call,
  failure,
  startProject,
  startWorkItems,
  stopWorkItems,
  storeCopies,
  storeUnchecked,
  type TestProject,
} from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItems();
  project = await startProject();
});
afterAll(stopWorkItems);

const remove = (id: string, p = project) => call(p.caller, 'workItems.delete', { id });

describe('a deleted item', () => {
  test('is gone, from lists and from search too', async () => {
    const item = await project.create('task', { title: 'Unmistakable' });
    expect(await remove(item.taskId)).toEqual({ deleted: true, id: item.id });
    expect((await failure(project.get(item.id))).code).toBe('NOT_FOUND');
    expect((await failure(remove(item.id))).code).toBe('NOT_FOUND');
    const { workItems } = await call(project.caller, 'workItems.list', { search: 'unmistakable' });
    expect(workItems).toEqual([]);
    expect((await call(project.caller, 'workItems.resolve', { ids: [item.taskId] })).notFound).toEqual([item.taskId]);
  });

  test('keeps its history, by id and by task ID, which ends there', async () => {
    const item = await project.create('task', { title: 'Kept in mind' });
    await project.move(item.id, 'Review');
    await remove(item.id);
    for (const workItemId of [item.id, item.taskId]) {
      const { events, ...rest } = await call(project.caller, 'workItems.events', { workItemId });
      const { id, taskId } = item;
      expect(rest).toEqual({ workItemId: id, taskId, title: 'Kept in mind', totalEvents: 3, nextCursor: null });
      expect(events.map(({ eventType }) => eventType)).toEqual(['deleted', 'moved', 'created']);
      expect(events[0]?.data).toEqual({ taskId: item.taskId, title: 'Kept in mind' });
    }
    expect((await failure(call(project.caller, 'workItems.comment', { workItemId: item.id, text: 'Late' }))).code).toBe(
      'NOT_FOUND',
    );
  });

  test('leaves its children without a parent, and they record it', async () => {
    const parent = await project.create('epic');
    const child = await project.create('feature', { parentId: parent.id });
    const grandchild = await project.create('story', { parentId: child.id });
    await remove(parent.id);
    expect(await project.get(child.id)).toMatchObject({ parentId: null, version: 2 });
    expect((await project.get(grandchild.id)).parentId).toBe(child.id);
    expect((await project.history(child.id))[0]).toMatchObject({
      eventType: 'updated',
      data: { changes: { parentId: { from: parent.id, to: null } } },
    });
  });

  test('lets more children go than one transaction should hold, in several', async () => {
    const large = await startProject('Large');
    const epic = await large.create('epic');
    const parent = await large.create('feature', { parentId: epic.id });
    const first = await large.create('story', { parentId: parent.id });
    const below = await large.create('task', { parentId: first.id });
    const dependent = await large.create('task', { metadata: { dependsOn: [parent.id] } });
    for (let n = 0; n < 6; n++) {
      const child = { title: 'One of many', type: 'task' as const, parentId: parent.id };
      await call(large.caller, 'workItems.createMany', { items: new Array(100).fill(child) });
    }
    const sizes: number[] = [];
    const note = ({ command }: mongo.CommandStartedEvent) => {
      if (command.bulkWrite) sizes.push(command.ops.length);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await remove(parent.id, large);
    client.off('commandStarted', note);
    expect(sizes.filter((operations) => operations > 100)).toHaveLength(2);

    const { organizationId } = large.caller;
    const phrases = await ItemModel.distinct('foundBy', { organizationId });
    expect(phrases.filter((phrase) => phrase.includes(parent.id) || phrase.endsWith(parent.taskId))).toEqual([]);
    expect(await ItemModel.countDocuments({ organizationId, parentId: null })).toBe(603);
    expect(await large.get(first.id)).toMatchObject({ parentId: null, version: 2 });
    const changes = { parentId: { from: parent.id, to: null } };
    expect((await large.history(first.id)).map(({ data }) => data.changes)).toEqual([changes, undefined]);
    const { foundBy: found } = (await ItemModel.findOne({ organizationId, _id: below.id }).lean()) ?? {};
    expect(found).toHaveLength(5);
    expect(found).toContain(`below ${first.id}`);
    expect((await large.get(dependent.id)).metadata.dependsOn).toEqual([]);
  });

  test('reads those that depend on it once, in however many transactions they leave', async () => {
    const large = await startProject('Much depended upon');
    const base = await large.create('task');
    const dependent = await large.create('task', { dependsOn: [base.id] });
    await storeCopies(dependent.id, 1_600);
    let reads = 0;
    const note = ({ command }: mongo.CommandStartedEvent) => {
      if (command.find === 'work_items' && command.filter.dependsOn) reads++;
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await remove(base.id, large);
    client.off('commandStarted', note);
    // And once for the last of them, which leave with the item.
    expect(reads).toBe(2);
    const { organizationId } = large.caller;
    expect(await ItemModel.countDocuments({ organizationId, dependsOn: [], waitsFor: [], version: 2 })).toBe(1_601);
  });

  test('may be named in older data of a project that does not exist for the caller', async () => {
    const elsewhere = await startProject('Elsewhere', project.organization);
    const [item, other] = [await project.create('task'), await elsewhere.create('task')];
    await storeUnchecked(other.id, { dependsOn: [item.id] });
    const limited = { ...project.caller, projects: [project.project.id] };
    expect(await call(limited, 'workItems.delete', { id: item.id })).toMatchObject({ deleted: true });
  });

  test('is what its holder is told, by whatever it does next', async () => {
    const other = { ...project.caller, keyId: '01990000-0000-7000-8000-000000000001' };
    const item = await project.create('task');
    const { lease } = await call(project.caller, 'workItems.claim', { agent: 'agent', ids: [item.id] });
    const leaseToken = lease?.token as string;
    expect((await call(other, 'workItems.delete', { id: item.id })).warnings).toHaveLength(1);
    for (const workItemId of [item.id, item.taskId]) {
      const mine = { workItemId, leaseToken };
      const done = { ...mine, model: 'gpt-5', totalTokens: 1 };
      for (const next of [
        () => call(project.caller, 'workItems.progress', mine),
        () => call(project.caller, 'workItems.release', mine),
        () => call(project.caller, 'workItems.completeAiTask', done),
      ]) {
        const { code, message } = await failure(next());
        expect([code, message]).toEqual([
          'NOT_FOUND',
          `${item.taskId} was deleted, and a lease on it ended with it. Stop working on it.`,
        ]);
      }
    }
    expect((await failure(call(project.caller, 'workItems.claim', { agent: 'agent', leaseToken }))).message).toContain(
      'deleted',
    );
    const limited = { ...project.caller, projects: [project.project.id] };
    const { message } = await failure(call(limited, 'workItems.progress', { workItemId: item.id, leaseToken }));
    expect(message).toBe(`There is no work item ${item.id}.`);
  });

  test('of another organization is not found, nor is its history', async () => {
    const stranger = await startProject('Quite another');
    const item = await stranger.create('task');
    expect((await failure(remove(item.id))).code).toBe('NOT_FOUND');
    await remove(item.id, stranger);
    expect((await failure(project.history(item.id))).code).toBe('NOT_FOUND');
    expect((await failure(project.history(item.taskId))).code).toBe('NOT_FOUND');
  });
});
