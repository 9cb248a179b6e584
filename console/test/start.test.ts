import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import type { Project } from '@worktrack/contracts/projects/project';
import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { caller, type TestOrganization } from '../../test/support/organization.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const ADD = 'Add the sample project';
const REMOVE = 'Remove the sample project';

const projectsOf = async ({ call }: TestOrganization) =>
  (await call<{ projects: Project[] }>('GET', '/api/projects')).data.projects;

async function itemsOf({ call }: TestOrganization, { id }: Project): Promise<WorkItemSummary[]> {
  return (await call<{ workItems: WorkItemSummary[] }>('GET', `/api/work-items?projectId=${id}`)).data.workItems;
}

async function sampleOf(organization: TestOrganization): Promise<Project> {
  const found = (await projectsOf(organization)).find(({ description }) => description.includes('worktrack-sample:'));
  if (!found) throw new Error('There is no sample project.');
  return found;
}

async function visitFresh() {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  await visitor.page.getByText('There is nothing on this board yet').waitFor();
  return { organization, visitor, page: visitor.page };
}

const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

test('an empty board says what to do: a task is created with the keyboard alone', async () => {
  const { organization, visitor, page } = await visitFresh();
  await page.getByRole('button', { name: ADD }).waitFor();
  await visitor.isGood('start');
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await page.keyboard.type('Look at the first task');
  await page.keyboard.press('Enter');
  await page.getByText('W-T-1 is on the board.').waitFor();
  await page.locator('.card', { hasText: 'Look at the first task' }).waitFor();
  await page.getByRole('heading', { name: 'Create a task' }).waitFor({ state: 'detached' });
  const [project] = await projectsOf(organization);
  const items = project ? await itemsOf(organization, project) : [];
  expect(items.map(({ title, columnName }) => [title, columnName])).toEqual([['Look at the first task', 'To Do']]);
});

test('an agent is connected by an entry whose key is created on the spot and stored nowhere', async () => {
  const { organization, visitor, page } = await visitFresh();
  const entry = page.getByRole('listitem').filter({ hasText: 'Connect an agent' }).locator('pre');
  expect(await entry.textContent()).toContain('<your API key>');
  await page.getByRole('button', { name: 'Create a key for it' }).press('Enter');
  await page.getByText('The key is in the entry').waitFor();
  await visitor.isGood('start-key');
  const { url, headers } = JSON.parse((await entry.textContent()) ?? '').mcpServers.worktrack;
  expect(url).toBe(`${stage.url}/mcp?projectId=${organization.projectId}`);
  const tools = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(await tools.text()).toContain('claim_work_item');
  const key = headers.Authorization.slice('Bearer '.length);
  expect(await stored(page)).not.toContain(key.slice(0, 12));
  await page.reload();
  await page.getByText('<your API key>').waitFor();
});

test('if there is no project, one is created, and the tag of a source is there to copy', async () => {
  const { organization, visitor, page } = await visitFresh();
  const { data } = await organization.call<Source>('POST', '/api/feedback/sources', { name: 'Shop' });
  await organization.call('DELETE', `/api/projects/${organization.projectId}`);
  await page.reload();
  await page.getByText('There is no project yet.').waitFor();
  await page.getByText(`data-public-key="${data.publicKey}"`).waitFor();
  await visitor.isGood('start-no-project');
  const member = await organization.newUser();
  const { page: theirs } = await stage.visit('board', { apiKey: member.key });
  await theirs.getByText('An owner or admin creates the first one.').waitFor();
  for (const screen of ['Plan', 'Costs']) {
    await page.getByRole('link', { name: screen, exact: true }).click();
    await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
    await page.getByLabel('Project name').waitFor();
  }
  await page.goto(`${stage.url}/console/settings/project`);
  await page.getByRole('main').getByText('There is no project yet.').waitFor();
  await page.getByRole('link', { name: 'Board', exact: true }).click();
  await page.getByLabel('Project name').fill('Garden');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('There is nothing on this board yet').waitFor();
  expect((await projectsOf(organization)).map(({ name }) => name)).toEqual(['Garden']);
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'List' }).click();
  await page.getByRole('main').getByRole('button', { name: 'New work item' }).click();
  await page.getByRole('dialog', { name: 'New work item' }).waitFor();
});

test('one click creates a sample with a history of agents’ work, and one click removes all of it', async () => {
  const { organization, visitor, page } = await visitFresh();
  const before = (await projectsOf(organization)).map(({ id }) => id);
  await page.getByRole('button', { name: ADD }).click();
  await page.getByText('The sample project is ready.').waitFor();
  await page.getByText('This is a sample project').waitFor();
  await page.locator('.card', { hasText: 'Awaiting input' }).waitFor();
  await visitor.isGood('sample');
  const sample = await sampleOf(organization);
  const items = await itemsOf(organization, sample);
  const columnOf = (title: string) => items.find((item) => item.title === title)?.columnName;
  expect(items).toHaveLength(11);
  expect(columnOf('Name every colour as a token')).toBe('Done');
  expect(columnOf('Define the dark palette')).toBe('Testing');
  expect(items.filter(({ lease }) => lease).map(({ lease }) => lease?.agent)).toHaveLength(2);
  const usage = await organization.call<{ totals: { sessions: number } }>(
    'GET',
    `/api/ai-usage?projectId=${sample.id}`,
  );
  expect(usage.data.totals.sessions).toBeGreaterThanOrEqual(4);
  const feedback = await organization.call<{ items: FeedbackItem[] }>('GET', '/api/feedback/items?status=linked');
  expect(feedback.data.items).toHaveLength(2);

  await page.getByRole('button', { name: REMOVE }).press('Enter');
  await page.getByText('The sample project has been removed.').waitFor();
  await page.getByText('There is nothing on this board yet').waitFor();
  expect((await projectsOf(organization)).map(({ id }) => id)).toEqual(before);
  const left = await organization.call<{ workItems: WorkItemSummary[] }>('GET', '/api/work-items');
  expect(left.data.workItems).toEqual([]);
  expect((await organization.call<Source[]>('GET', '/api/feedback/sources')).data).toEqual([]);
  const erased = await organization.call<{ items: FeedbackItem[] }>('GET', '/api/feedback/items');
  expect(erased.data.items.map(({ message }) => message)).toEqual(['', '']);
});

test('a sample interrupted while it was created or removed says so in every browser and is resumed', async () => {
  const { organization, visitor, page } = await visitFresh();
  await page.route('**/api/work-items/claim', (route) => route.abort());
  await page.getByRole('button', { name: ADD }).click();
  await page.getByText('The sample project was interrupted').waitFor();
  await page.getByText('The sample project is incomplete').waitFor();
  await visitor.isGood('sample-incomplete');
  const half = await sampleOf(organization);

  const other = await stage.visit('board', { apiKey: organization.apiKey });
  await other.page.getByText('The sample project is incomplete').waitFor();
  await other.page.getByRole('button', { name: 'Create it again' }).press('Enter');
  await other.page.getByText('The sample project is ready.').waitFor();
  const whole = await sampleOf(organization);
  expect(whole.id).not.toBe(half.id);
  expect(await itemsOf(organization, whole)).toHaveLength(11);

  let deletions = 0;
  await other.page.route('**/api/work-items/*', (route) => {
    if (route.request().method() === 'DELETE' && ++deletions > 3) return route.abort();
    return route.continue();
  });
  await other.page.getByRole('button', { name: REMOVE }).click();
  await other.page.getByText('The sample project was interrupted').waitFor();
  await other.page.getByText('The sample project is partly removed').waitFor();
  await other.isGood('sample-partly-removed');
  await page.unroute('**/api/work-items/claim');
  await page.goto(`${stage.url}/console/board?project=${whole.id}`);
  await page.getByText('The sample project is partly removed').waitFor();
  await page.getByRole('button', { name: 'Remove the rest' }).click();
  await page.getByText('There is nothing on this board yet').waitFor();
  // The board is empty a moment before its project is gone.
  await expect.poll(async () => (await projectsOf(organization)).length).toBe(1);
});

test('a read-only user is offered nothing to do', async () => {
  const { organization } = await visitFresh();
  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'A reader',
    permissions: ['projects:read', 'work-items:read'],
  });
  const { page } = await stage.visit('board', { apiKey: data.key });
  await page.getByRole('heading', { name: 'Connect an agent' }).waitFor();
  const buttons = page.getByRole('main').getByRole('button');
  await expect.poll(() => buttons.allTextContents()).toEqual(['Filter', 'Save view', 'Copy entry']);
  expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
  expect((await caller(stage.url, data.key)('GET', '/api/me')).status).toBe(200);
});

test.each([
  ['de-DE', 'Aufgabe anlegen'],
  ['tr-TR', 'Görev oluştur'],
  ['ja-JP', 'タスクを作る'],
])('the first page is in the visitor’s language, and fits: %s', async (locale, makeTask) => {
  const { organization, page: english } = await visitFresh();
  await english.getByRole('button', { name: ADD }).waitFor();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey, locale });
  await visitor.page.getByRole('heading', { name: makeTask }).waitFor();
  await visitor.isGood(`start-${locale}`);
  // The columns have names that somebody chose for them.
  const saidOn = async (page: Page) => {
    const all = page.getByRole('main').locator(':is(h2, h3, p, label, .button):not(.column *)');
    return (await all.allTextContents()).filter(Boolean);
  };
  const inEnglish = new Set(await saidOn(english));
  expect(inEnglish.size).toBeGreaterThan(8);
  expect((await saidOn(visitor.page)).filter((text) => inEnglish.has(text))).toEqual([]);
});
