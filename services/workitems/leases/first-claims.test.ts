import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startProject, startWorkItemsWith, stopWorkItems } from '../testing.ts';

beforeAll(() => startWorkItemsWith({ monitorCommands: 'true' }));
afterAll(stopWorkItems);

const AGENTS = 40;

/** Each of them finds that the story, the feature and the epic have to follow its task; only one can move them. */
test('the first claims below an epic, at once, do not take a transaction each', async () => {
  const { caller, create } = await startProject();
  const epic = await create('epic');
  const feature = await create('feature', { parentId: epic.id });
  const story = await create('story', { parentId: feature.id });
  for (let n = 0; n < AGENTS; n++) await create('task', { parentId: story.id });
  let transactions = 0;
  const note = ({ command }: mongoose.mongo.CommandStartedEvent) => {
    if (command.bulkWrite) transactions++;
  };
  const client = mongoose.connection.getClient().on('commandStarted', note);
  const agents = Array.from({ length: AGENTS }, (_, n) => `agent ${n}`);
  const claims = await Promise.all(agents.map((agent) => call(caller, 'workItems.claim', { agent, ids: [epic.id] })));
  client.off('commandStarted', note);
  expect(new Set(claims.map(({ workItem }) => workItem?.id)).size).toBe(AGENTS);
  // Some five. Each tried and made by itself, they were twice as many as the agents.
  expect(transactions).toBeLessThan(AGENTS / 2);
});
