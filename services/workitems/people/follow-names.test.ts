import type { Caller } from '@worktrack/contracts/caller';
import { NEED_KINDS } from '@worktrack/contracts/work-items/attention';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { IN_CONTAINERS } from '../../../test/support/test-stack.ts';
import { call, startProject, startWorkItems, stopWorkItems, type TestProject } from '../testing.ts';
import { followDue } from './follow-names.ts';
import { NamesModel } from './names.model.ts';

beforeAll(startWorkItems);
afterAll(stopWorkItems);

let own: TestProject;
const ada = { id: '', name: 'Ada' };
const namesake = { id: '', name: 'Ada' };
beforeEach(async () => {
  own = await startProject();
  ada.id = uuidv7();
  namesake.id = uuidv7();
});

/** Of a caller whose input names this user. */
const naming = (user: { readonly id: string; readonly name: string }): Caller => ({
  ...own.caller,
  people: [{ ...user, as: user.name }],
});
async function assigned(user: typeof ada): Promise<string> {
  const { id } = await own.create('task');
  await call(naming(user), 'workItems.update', { id, assignee: user.name });
  return id;
}
const say = (name: string, revision: number, isErased = false) =>
  call(own.caller, 'workItems.nameUser', { userId: ada.id, name, revision, isErased });
async function rename(to: string): Promise<void> {
  await say('Ada', 1);
  await say(to, 2);
}
const lookIn = (seconds: number) => followDue(new Date(Date.now() + seconds * 1_000));
const assigneeOf = async (id: string) => (await own.get(id)).assignee;
const needsOf = async ({ id: userId, name }: typeof ada) => {
  const asked = { kinds: [...NEED_KINDS], names: [name], limit: 100 };
  const { needed, counts } = await call({ ...own.caller, userId }, 'workItems.needs', asked);
  expect(counts.assigned).toBe(needed.length);
  return needed.map(({ workItem }) => workItem?.id);
};
const forUser = (name: string) => needsOf({ ...ada, name });

test('what needs a user is not what is assigned to another of the same name, and what does not say which of them it means needs both', async () => {
  const [hers, theirs] = [await assigned(ada), await assigned(namesake)];
  const either = await own.create('task', { assignee: 'Ada' });
  expect([await needsOf(ada), await needsOf(namesake)]).toEqual([
    [hers, either.id],
    [theirs, either.id],
  ]);
});

test('what is assigned to a user follows their new name, and what is assigned to another user or an agent of that name does not', async () => {
  const [hers, of, agents] = [await assigned(ada), await assigned(namesake), (await own.create('task')).id];
  await call(own.caller, 'workItems.claim', { ids: [agents], agent: 'Ada', leaseSeconds: 60 });
  const before = await own.get(hers);
  await rename('Ada Lovelace');
  await lookIn(0);
  expect([await assigneeOf(hers), await assigneeOf(of), await assigneeOf(agents)]).toEqual([
    'Ada Lovelace',
    'Ada',
    'Ada',
  ]);
  expect(await forUser('Ada Lovelace')).toEqual([hers]);
  expect(await needsOf(namesake)).toEqual([of]);
  // Nothing was done to it.
  expect(await own.get(hers)).toEqual({ ...before, assignee: 'Ada Lovelace' });
  await own.update(hers, { title: 'Changed', version: before.version });
});

test('what an agent holds goes back to its user under the new name', async () => {
  const id = await assigned(ada);
  const { lease } = await call(own.caller, 'workItems.claim', { ids: [id], agent: 'agent', leaseSeconds: 60 });
  await rename('Ada Lovelace');
  await lookIn(0);
  expect(await assigneeOf(id)).toBe('agent');
  await call(own.caller, 'workItems.release', { workItemId: id, leaseToken: lease?.token ?? '' });
  expect(await assigneeOf(id)).toBe('Ada Lovelace');
  expect(await forUser('Ada Lovelace')).toEqual([id]);
});

test('what an agent holds goes back to whom it was taken from, also when it was given to somebody else meanwhile', async () => {
  const ids = [await assigned(ada), await assigned(namesake)];
  const leases = [];
  for (const id of ids) {
    leases.push((await call(own.caller, 'workItems.claim', { ids: [id], agent: 'agent', leaseSeconds: 60 })).lease);
    await call(naming({ id: uuidv7(), name: 'Grace' }), 'workItems.update', { id, assignee: 'Grace' });
  }
  await rename('Ada Lovelace');
  await lookIn(0);
  for (const [index, workItemId] of ids.entries()) {
    await call(own.caller, 'workItems.release', { workItemId, leaseToken: leases[index]?.token ?? '' });
  }
  expect(await Promise.all(ids.map(assigneeOf))).toEqual(['Ada Lovelace', 'Ada']);
  expect([await forUser('Ada Lovelace'), await needsOf(namesake)]).toEqual(ids.map((id) => [id]));
});

test('what was on its way with the earlier name follows a minute later, and then nothing is looked for any more', async () => {
  await rename('Ada Lovelace');
  await lookIn(0);
  const late = await assigned(ada);
  await lookIn(1);
  expect(await assigneeOf(late)).toBe('Ada');
  await lookIn(61);
  expect(await assigneeOf(late)).toBe('Ada Lovelace');
  expect(await NamesModel.countDocuments({ _id: ada.id, followAt: mongoose.trusted({ $exists: true }) })).toBe(0);
});

test('of two names the later holds, in whichever order they are heard', async () => {
  const id = await assigned(ada);
  await say('Ada', 1);
  await say('Countess', 3);
  await say('Ada Lovelace', 2);
  const late = await assigned({ ...ada, name: 'Ada Lovelace' });
  await lookIn(0);
  expect([await assigneeOf(id), await assigneeOf(late)]).toEqual(['Countess', 'Countess']);
});

test('what is assigned to a user follows while others write it, and holds nobody up', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => assigned(ada)));
  await say('Ada', 1);
  let isOver = false;
  const writers = Array.from({ length: 8 }, async (_, at) => {
    for (let next = at; !isOver; next++) {
      await call(own.caller, 'workItems.comment', { workItemId: ids[next % ids.length] as string, text: 'Hear.' });
    }
  });
  for (let revision = 2; revision <= 6; revision++) {
    await say(`Ada ${revision}`, revision);
    await lookIn(0);
  }
  isOver = true;
  await Promise.all(writers);
  expect(new Set(await Promise.all(ids.map(assigneeOf)))).toEqual(new Set(['Ada 6']));
});

test.skipIf(IN_CONTAINERS)(
  'many items follow in one commit, on a database that commits each write by itself',
  async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => assigned(ada)));
    await rename('Ada Lovelace');
    const alone: unknown[] = [];
    const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
      if (command.bulkWrite && command.txnNumber === undefined) alone.push(command.ops);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    await lookIn(0);
    client.off('commandStarted', note);
    expect(alone).toEqual([]);
    expect(new Set(await Promise.all(ids.map(assigneeOf)))).toEqual(new Set(['Ada Lovelace']));
  },
);

test('a saved view goes on listing the user', async () => {
  const saved = (filters: Record<string, string | string[]>) =>
    call(own.caller, 'views.create', { name: `Of ${uuidv7()}`, projectId: own.project.id, filters });
  const filters = { assignee: ['Grace', 'Ada'], assigneeNot: 'Ada', search: 'Ada' };
  const [view, other] = [await saved(filters), await saved({ assignee: 'Grace' })];
  // As the console writes several.
  const several = await saved({ assignee: 'Ada,Grace,Hopper\\,Ada' });
  await rename('Lovelace,Ada');
  await lookIn(0);
  const { views } = await call(own.caller, 'views.list', { projectId: own.project.id });
  expect(new Map(views.map(({ id, filters }) => [id, filters]))).toEqual(
    new Map([
      [view.id, { assignee: ['Grace', 'Lovelace\\,Ada'], assigneeNot: 'Lovelace\\,Ada', search: 'Ada' }],
      [other.id, { assignee: 'Grace' }],
      [several.id, { assignee: 'Lovelace\\,Ada,Grace,Hopper\\,Ada' }],
    ]),
  );
});

test('once a user is erased, none of their names is in items and their history, and none is kept', async () => {
  const [id, other] = [await assigned(ada), await assigned({ id: uuidv7(), name: 'Grace' })];
  await rename('Ada Lovelace');
  await lookIn(0);
  await own.update(id, { assignee: null });
  await call(naming({ ...ada, name: 'Ada Lovelace' }), 'workItems.update', { id, assignee: 'Ada Lovelace' });
  await say('Erased user', 3, true);
  await lookIn(0);
  expect(await assigneeOf(id)).toBe('Erased user');
  expect(JSON.stringify(await own.history(id))).not.toMatch(/Ada/);
  expect(JSON.stringify(await own.history(id))).toMatch(/"to":"Erased user"/);
  expect(JSON.stringify(await own.history(other))).toMatch(/"to":"Grace"/);
  await lookIn(61);
  await say('Erased user', 3, true);
  expect(await NamesModel.countDocuments({ _id: ada.id })).toBe(0);
});
