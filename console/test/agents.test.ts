import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
let organization: TestOrganization;

beforeAll(() => {
  organization = stage.organization;
});

async function newTask(title: string): Promise<WorkItem> {
  const { boardId, columns, projectId } = organization;
  const task = { type: 'task', title, projectId, boardId, boardColumnId: columns['To Do'] };
  return (await organization.call<WorkItem>('POST', '/api/work-items', task)).data;
}

async function claim(agent: string, task: WorkItem, leaseSeconds = 900): Promise<string> {
  const input = { ids: [task.id], agent, leaseSeconds };
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', input);
  return data.lease.token;
}

async function beat(task: WorkItem, leaseToken: string, told: Record<string, unknown>) {
  return organization.call<{ answers: { text: string }[] }>('POST', `/api/work-items/${task.id}/progress`, {
    leaseToken,
    ...told,
  });
}

/** The part of the page that is about one agent. */
const partOf = ({ page }: Visitor, agent: string) =>
  page.locator('.agents-one').filter({ has: page.getByRole('heading', { name: agent, exact: true }) });

/** With a different key from the agents', as a person has. */
async function visit(): Promise<Visitor> {
  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'A person' });
  return stage.visit('agents', { apiKey: data.key });
}

test('shows each agent as it claims, reports progress, stalls and ends, those that need somebody first', async () => {
  const visitor = await visit();
  const { page } = visitor;
  await page.getByText('No agent is working at the moment.').waitFor();
  await visitor.isGood('agents-empty');

  const [one, two] = [await newTask('The first task'), await newTask('The second task')];
  const token = await claim('agent one', one, 60);
  await claim('agent two', two);
  await page.reload();
  await partOf(visitor, 'agent one').getByText('The first task').waitFor();
  await partOf(visitor, 'agent two').getByText('Working').waitFor();
  await beat(one, token, { note: 'Tests are written', progress: 0.5, totalTokens: 12_345, model: 'm', provider: 'p' });
  await page.reload();
  await partOf(visitor, 'agent one').getByText('Tests are written').waitFor();
  await partOf(visitor, 'agent one').getByText('50%').waitFor();
  await partOf(visitor, 'agent one').getByText('Tokens 12.3K').waitFor();
  // The clock of whoever looks may be wrong.
  const early = await visit();
  await early.page.clock.setSystemTime(Date.now() + 24 * 60 * 60 * 1_000);
  await early.page.reload();
  await partOf(early, 'agent two').getByText('Working').waitFor();
  await visitor.isGood('agents-working');

  await page.clock.install();
  await page.clock.fastForward(31_000);
  await partOf(visitor, 'agent one').getByText('Stalled').waitFor();
  expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual(['agent one', 'agent two']);
  const groups = page.getByRole('heading', { level: 2 });
  expect(await groups.allTextContents()).toEqual(['Stalled 1', 'Working 1']);
  // In whose project it is.
  await partOf(visitor, 'agent one').getByText('›').waitFor();
  await visitor.isGood('agents-stalled');
});

test('an agent’s question is answered here, with the keyboard alone, and the agent receives the answer', async () => {
  const task = await newTask('A task with a question');
  const token = await claim('agent three', task);
  await beat(task, token, { state: 'awaiting_input', question: 'Which colour?\nBlue or <b>green</b>?' });
  const visitor = await visit();
  const part = partOf(visitor, 'agent three');
  await part.getByText('Which colour?').waitFor();
  await part.getByText('Awaiting input').waitFor();
  await visitor.isGood('agents-question');
  await part.getByLabel('Answer').focus();
  await visitor.page.keyboard.type('Blue, as always.');
  await visitor.page.keyboard.press('Tab');
  await visitor.page.keyboard.press('Enter');
  await part.getByText('Blue, as always.').waitFor();
  const { data } = await beat(task, token, { state: 'working' });
  await visitor.page.reload();
  expect(data.answers).toMatchObject([{ text: 'Blue, as always.' }]);
  await part.getByText('Working').waitFor();
});

test('Ctrl+Enter sends an answer, as it sends a comment', async () => {
  const task = await newTask('A task with a short question');
  const token = await claim('agent nine', task);
  await beat(task, token, { state: 'awaiting_input', question: 'Which size?' });
  const visitor = await visit();
  const part = partOf(visitor, 'agent nine');
  await part.getByLabel('Answer').fill('Large.');
  await visitor.page.keyboard.press('Control+Enter');
  await part.getByText(/Answered .*Large\./).waitFor();
  expect((await beat(task, token, {})).data.answers).toMatchObject([{ text: 'Large.' }]);
});

test('an answer that was begun for one question is not sent as that to the next', async () => {
  const task = await newTask('A task with two questions');
  const token = await claim('agent six', task);
  await beat(task, token, { state: 'awaiting_input', question: 'Which colour?' });
  const visitor = await visit();
  const part = partOf(visitor, 'agent six');
  await part.getByText('Which colour?').waitFor();
  await part.getByLabel('Answer').fill('Blue.');
  await beat(task, token, { state: 'awaiting_input', question: 'Which font?' });
  await part.getByText('Which font?').waitFor();
  const send = part.getByRole('button', { name: 'Send answer' });
  await send.click();
  await visitor.page.getByText('The agent asks something else now.').waitFor();
  expect((await beat(task, token, {})).data.answers).toEqual([]);
  // Who has read it may say the same.
  await send.click();
  await part.getByText(/Answered .*Blue\./).waitFor();
  expect((await beat(task, token, { state: 'working' })).data.answers).toMatchObject([{ text: 'Blue.' }]);
});

test('one press takes an item away from its agent', async () => {
  const task = await newTask('A task that is taken back');
  const token = await claim('agent four', task);
  const visitor = await visit();
  await visitor.page.getByRole('button', { name: `Release ${task.taskId} from agent four` }).click();
  await visitor.page.getByText(`${task.taskId} is back in To Do.`).waitFor();
  await partOf(visitor, 'agent four').waitFor({ state: 'detached' });
  expect((await beat(task, token, {})).error.code).toBe('CONFLICT');
});

test('agents are asked for again when one claims a task, and not for what events say', async () => {
  const own = await stage.newOrganization();
  const task = await createItem(own, { title: 'Claimed', boardColumnId: own.columns['To Do'] });
  const claimFor = async (agent: string) => {
    const input = { ids: [task.id], agent };
    const { data } = await own.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', input);
    return () => own.call('POST', `/api/work-items/${task.id}/release`, { leaseToken: data.lease.token });
  };
  const visitor = await stage.visit('agents', { apiKey: own.apiKey });
  const { page } = visitor;
  await page.getByText('No agent is working at the moment.').waitFor();
  visitor.requests.length = 0;
  const release = await claimFor('agent seven');
  const part = partOf(visitor, 'agent seven');
  await part.waitFor();
  await createItem(own, { title: 'Another' });
  await own.call('PATCH', `/api/work-items/${task.id}`, { title: 'Renamed' });
  await part.getByText('Renamed').waitFor();
  await release();
  await part.waitFor({ state: 'detached' });
  const lists = visitor.requests.filter(({ path }) => path === '/api/work-items');
  // One, or one more if what the claim causes comes in parts.
  expect(lists.length).toBeLessThanOrEqual(2);

  const releaseUnseen = await claimFor('agent eight');
  await partOf(visitor, 'agent eight').waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await releaseUnseen();
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByText('No agent is working at the moment.').waitFor();
});

test('a fleet is one line, and is released together, but not what others have claimed since it was selected', async () => {
  const fleet = await stage.newOrganization();
  const call = <T>(path: string, input: object) => fleet.call<T>('POST', path, input);
  const tasks = [];
  for (const n of [1, 2, 3, 4]) {
    const task = await createItem(fleet, { title: `Task ${n}`, boardColumnId: fleet.columns['To Do'] });
    const agent = n === 4 ? 'reviewer' : `nightly-${n}`;
    await call('/api/work-items/claim', { ids: [task.id], agent, leaseSeconds: 900 });
    tasks.push(task);
  }
  const visitor = await stage.visit('agents', { apiKey: fleet.apiKey });
  const { page } = visitor;
  const line = page.getByRole('heading', { level: 3, name: '3 of fleet nightly: Working' });
  await line.waitFor();
  expect(await page.getByRole('heading', { level: 3 }).count()).toBe(2);
  await line.click();
  await partOf(visitor, 'nightly-2').getByText('Task 2').waitFor();
  await page.getByRole('checkbox', { name: 'Select 3 of fleet nightly' }).check();
  await page.getByText('3 selected').waitFor();
  await visitor.isGood('agents-fleet');
  // Another agent takes one of them over. For a moment two are left, which are no fleet; it is open as before when it is one again.
  const [, second] = tasks as [WorkItem, WorkItem];
  await call(`/api/work-items/${second.id}/move`, { boardColumnId: 'To Do', takeOver: true });
  await line.waitFor({ state: 'detached' });
  await call('/api/work-items/claim', { ids: [second.id], agent: 'nightly-9', leaseSeconds: 900 });
  await partOf(visitor, 'nightly-9').waitFor();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('region', { name: '2 selected' }).getByRole('button', { name: 'Release' }).click();
  await page.getByText('2 released.').waitFor();
  await partOf(visitor, 'nightly-1').waitFor({ state: 'detached' });
  const columns = tasks.map(
    async ({ id }) => (await fleet.call<WorkItem>('GET', `/api/work-items/${id}`)).data.columnName,
  );
  expect(await Promise.all(columns)).toEqual(['To Do', 'In Progress', 'To Do', 'In Progress']);
  expect(visitor.complaints).toEqual([]);
});

test('agents that ask the same are answered together', async () => {
  const tokens: [WorkItem, string][] = [];
  for (const agent of ['asker-1', 'asker-2']) {
    const task = await newTask(`Of ${agent}`);
    const token = await claim(agent, task);
    await beat(task, token, { state: 'awaiting_input', question: 'Which colour?' });
    tokens.push([task, token]);
  }
  const visitor = await visit();
  const { page } = visitor;
  for (const agent of ['asker-1', 'asker-2']) {
    await partOf(visitor, agent)
      .getByRole('checkbox', { name: `Select ${agent}` })
      .check();
  }
  const both = page.getByRole('region', { name: '2 selected' });
  await both.getByLabel('Answer').fill('Blue.');
  await both.getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('Sent. asker-1, asker-2 will get it').waitFor();
  for (const [task, token] of tokens) {
    expect((await beat(task, token, { state: 'working' })).data.answers).toMatchObject([{ text: 'Blue.' }]);
  }
});

test('a read-only user is offered neither an answer nor a release, and a failure is reported', async () => {
  const task = await newTask('A task for readers');
  await claim('agent five', task);
  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'A reader',
    permissions: ['work-items:read'],
  });
  const visitor = await stage.visit('agents', { apiKey: data.key });
  await partOf(visitor, 'agent five').waitFor();
  expect(await visitor.page.getByRole('button', { name: /Release|Send/ }).count()).toBe(0);
  // Whoever may not see keys tells them apart by the end of their ids.
  const { data: claimed } = await organization.call<WorkItem>('GET', `/api/work-items/${task.id}`);
  await partOf(visitor, 'agent five')
    .getByText(claimed.lease?.keyId.slice(-8) as string)
    .waitFor();
  expect(await visitor.page.getByRole('checkbox').count()).toBe(0);

  await visitor.page.route('**/api/work-items?*', (route) => route.abort());
  await visitor.page.reload();
  await visitor.page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
  await visitor.isGood('agents-failed');
});
