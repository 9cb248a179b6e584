import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foundBy } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { call, startProject, startWorkItemsWith, stopWorkItems, type TestProject } from '../testing.ts';

let project: TestProject;
beforeAll(async () => {
  await startWorkItemsWith({ monitorCommands: 'true' });
  project = await startProject();
});
afterAll(stopWorkItems);

/** The heartbeat of the process, which no call asks for. */
const BEAT = 'transaction_owners.';

/** What `work` asks the database: every command that the driver sends, including the fetching of further results. */
async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const client = mongoose.connection.getClient();
  const queries: string[] = [];
  const note = ({ commandName, command }: mongo.CommandStartedEvent) =>
    queries.push(`${command[commandName]}.${commandName}`);
  client.on('commandStarted', note);
  await work();
  client.off('commandStarted', note);
  return queries.filter((query) => !query.startsWith(BEAT));
}

/** An epic, a feature, 25 stories of 20 tasks: each waits for two others, one of them outside the batch, by UUID and by task ID. */
async function largeBatch() {
  const template = await project.create('task');
  const pattern = await ItemModel.findOne({ organizationId: project.caller.organizationId, _id: template.id }).lean();
  let number = 1_000;
  const record = (fields: Partial<ItemRecord>, parent: ItemRecord | null = null): ItemRecord => {
    number++;
    const names = { _id: uuidv7(), taskId: `W-T-${number}` };
    const place = { position: number, parentId: parent?._id ?? null, foundBy: foundBy(names, parent) };
    return { ...(pattern as ItemRecord), ...names, ...place, ...fields };
  };
  const epic = record({ type: 'epic' });
  const feature = record({ type: 'feature' }, epic);
  const stories = Array.from({ length: 25 }, () => record({ type: 'story' }, feature));
  const outside = Array.from({ length: 100 }, () => record({ boardColumnId: project.column('Done') }));
  const tasks: ItemRecord[] = [];
  for (const story of stories) {
    for (let n = 0; n < 20; n++) {
      const before = tasks.at(-7);
      const dependsOn = [outside[tasks.length % 100]?.taskId, ...(before ? [before._id] : [])];
      tasks.push(record({ metadata: { dependsOn } }, story));
    }
  }
  await ItemModel.insertMany([epic, feature, ...stories, ...outside, ...tasks]);
  return { epic, tasks };
}

test('every context of 500 tasks is one or two queries, however deep they lie', async () => {
  const { epic, tasks } = await largeBatch();
  const { caller } = project;
  const TWO = ['work_items.aggregate', 'work_items.aggregate'];
  const byEpic = await queriesOf(async () => {
    const context = await call(caller, 'workItems.implementContext', { ids: [epic.taskId] });
    expect(context.tasks).toHaveLength(500);
    expect(context.tasks.every(({ parent }) => parent?.type === 'story')).toBe(true);
    expect(context.tasks.every(({ dependsOn }) => dependsOn.every((ref) => ref.startsWith('W-T-')))).toBe(true);
    expect(context.waves).toHaveLength(Math.ceil(500 / 7));
  });
  expect(byEpic).toEqual(TWO);
  const byIds = await queriesOf(async () => {
    const ids = tasks.map(({ _id, taskId }, index) => (index % 2 ? _id : taskId));
    expect((await call(caller, 'workItems.implementContext', { ids })).tasks).toHaveLength(500);
  });
  expect(byIds).toEqual(TWO);
  const validated = await queriesOf(async () => {
    const context = await call(caller, 'workItems.validateContext', { ids: [epic._id] });
    expect(context.skipped).toHaveLength(500);
    expect(context.parents).toHaveLength(25);
  });
  expect(validated).toEqual(TWO);

  const { organizationId } = caller;
  const review = project.column('Review');
  await ItemModel.updateMany(
    { organizationId, _id: mongoose.trusted({ $in: tasks.map(({ _id }) => _id) }) },
    { $set: { boardColumnId: review } },
  );
  const reviewed = await queriesOf(async () => {
    const context = await call(caller, 'workItems.reviewContext', { taskId: epic._id, featureReview: true });
    expect(context.children).toHaveLength(500);
  });
  expect(reviewed).toEqual(['work_items.find', 'work_items.aggregate']);
});

test('what surrounds an idea is two queries', async () => {
  await project.create('task', { title: 'Payment' });
  const queries = await queriesOf(() => call(project.caller, 'workItems.ideationContext', { keywords: ['payment'] }));
  expect(queries).toEqual(['work_item_search.aggregate', 'work_items.aggregate']);
});

test('a history of one page is read, and not counted as well', async () => {
  const { id: workItemId } = await project.create('task');
  const read = async (limit: number) => {
    const queries = await queriesOf(() => call(project.caller, 'workItems.events', { workItemId, limit }));
    return queries.filter((query) => query === 'work_item_history.aggregate');
  };
  // A server that needs it learns here where the history ends.
  await read(1);
  expect(await read(1)).toHaveLength(1);
});

test('agents who claim below the same epic at once share its plans', async () => {
  const { caller } = project;
  const epic = await project.create('epic');
  const agents = Array.from({ length: 16 }, (_, n) => `agent ${n}`);
  await Promise.all(['first', ...agents].map(() => project.create('task', { parentId: epic.id })));
  // Which the epic follows to In Progress.
  await call(caller, 'workItems.claim', { ids: [epic.id], agent: 'first' });
  const queries = await queriesOf(async () => {
    const claims = await Promise.all(agents.map((agent) => call(caller, 'workItems.claim', { ids: [epic.id], agent })));
    expect(new Set(claims.map(({ workItem }) => workItem?.id)).size).toBe(agents.length);
  });
  // A plan is two queries.
  expect(queries.filter((query) => query === 'work_items.aggregate').length).toBeLessThan(agents.length);
});
