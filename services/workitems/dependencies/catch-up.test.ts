import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ItemModel } from '../items/items.model.ts';
import { call, startProject, startWorkItems, stopWorkItems, storeCopies, type TestProject } from '../testing.ts';
import { catchUp } from './catch-up.ts';

const MANY = 600;

beforeAll(startWorkItems);
afterAll(stopWorkItems);

describe('a task on which more depend than one transaction should hold', () => {
  let project: TestProject;
  let base: string;
  beforeAll(async () => {
    project = await startProject();
    base = (await project.create('task')).id;
    const first = await project.create('task', { dependsOn: [base] });
    await storeCopies(first.id, MANY - 1);
  });

  const dependents = () => ({ organizationId: project.caller.organizationId, dependsOn: base });
  const free = () =>
    ItemModel.countDocuments({ ...dependents(), waitsFor: [], claimOrder: mongoose.trusted({ $ne: null }) });
  const waiting = () => ItemModel.countDocuments({ ...dependents(), waitsFor: [base], claimOrder: null });
  const later = () => new Date(Date.now() + 120_000);

  /** @returns how many operations each transaction had that wrote many items */
  async function sizesOf(work: () => Promise<unknown>): Promise<number[]> {
    const sizes: number[] = [];
    const note = ({ command }: mongo.CommandStartedEvent) => {
      if (command.bulkWrite) sizes.push(command.ops.filter((op: object) => 'update' in op).length);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await work();
    client.off('commandStarted', note);
    return sizes.filter((size) => size > 50);
  }

  test('frees some of them as it is handed over, and the others soon after', async () => {
    const moved = await sizesOf(() => project.move(base, 'Review'));
    expect([await free(), await waiting()]).toEqual([500, 100]);
    const caughtUp = await sizesOf(() => catchUp(new Date()));
    expect([await free(), await waiting()]).toEqual([MANY, 0]);
    expect([...moved, ...caughtUp].every((size) => size < 550)).toBe(true);
    expect(await ItemModel.countDocuments({ ...dependents(), version: 1 })).toBe(MANY);
    expect(await sizesOf(() => catchUp(later()))).toEqual([]);
  });

  test('is taken back only once all of them wait', async () => {
    const sizes = await sizesOf(() => project.move(base, 'To Do'));
    expect([await free(), await waiting()]).toEqual([0, MANY]);
    expect(sizes).toHaveLength(2);
    expect(sizes.every((size) => size < 550)).toBe(true);
    expect((await call(project.caller, 'workItems.claim', { agent: 'agent' })).workItem?.id).toBe(base);
    // The move came: they go on waiting.
    await catchUp(later());
    expect(await waiting()).toBe(MANY);
  });

  test('that is sent back blocks them with the move, and says so to those that nobody has begun soon after', async () => {
    const told = () => ItemModel.countDocuments({ ...dependents(), 'blocked.on.ref': base });
    await project.move(base, 'Review');
    await catchUp(later());
    const sizes = await sizesOf(() => project.move(base, 'In Progress', { reason: 'Wrong' }));
    expect([await waiting(), await told()]).toEqual([MANY, 0]);
    sizes.push(...(await sizesOf(() => catchUp(new Date()))));
    expect([await waiting(), await told()]).toEqual([MANY, MANY]);
    expect(sizes.every((size) => size < 550)).toBe(true);
  });

  test('frees those again that a move has made wait and then did not come', async () => {
    await project.move(base, 'Done');
    await catchUp(new Date());
    const { organizationId, userId, keyId } = project.caller;
    await ItemModel.updateMany(dependents(), { $set: { waitsFor: [base], claimOrder: null } });
    await ItemModel.updateOne({ organizationId, _id: base }, { $set: { crossed: { dueAt: later(), userId, keyId } } });
    await catchUp(new Date());
    expect(await waiting()).toBe(MANY);
    await catchUp(later());
    expect(await free()).toBe(MANY);
  });

  test('that is handed over and taken back at once leaves them as it is then itself', async () => {
    await project.move(base, 'To Do');
    await Promise.all([project.move(base, 'Done'), catchUp(later()), project.move(base, 'Backlog')]);
    const { columnName } = await project.get(base);
    if (columnName === 'Backlog') expect(await waiting()).toBe(MANY);
    await catchUp(later());
    expect([await free(), await waiting()]).toEqual(columnName === 'Backlog' ? [0, MANY] : [MANY, 0]);
  });
});
