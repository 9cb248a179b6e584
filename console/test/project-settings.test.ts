import type { Board } from '@worktrack/contracts/projects/board';
import type { Label } from '@worktrack/contracts/projects/label';
import type { Project } from '@worktrack/contracts/projects/project';
import type { Budget } from '@worktrack/contracts/work-items/costs/budget';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();

async function read<T>({ call }: TestOrganization, path: string): Promise<T> {
  const answer = await call<T>('GET', path);
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}
const projectNow = (organization: TestOrganization) =>
  read<Project>(organization, `/api/projects/${organization.projectId}`);
const boardNow = (organization: TestOrganization) => read<Board>(organization, `/api/boards/${organization.boardId}`);
const labelsNow = (organization: TestOrganization) =>
  read<Label[]>(organization, `/api/projects/${organization.projectId}/labels`);

const visit = (organization: TestOrganization, part: string, options = {}) =>
  stage.visit(`settings/project?part=${part}`, { apiKey: organization.apiKey, ...options });
const row = ({ page }: Visitor, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
const namesOf = ({ page }: Visitor) => page.locator('.settings-list h3').allTextContents();

test('columns are added, named, given a role and a limit, ordered and deleted, and z takes each back', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'In the way', boardColumnId: organization.columns.Testing });
  const visitor = await visit(organization, 'boards');
  const { page } = visitor;
  await row(visitor, 'Review').getByText('Review · Handed over: waits for a review.').waitFor();
  await visitor.isGood('project-boards');

  await page.getByRole('button', { name: 'New column' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Deploying');
  await choose(page, 'What it is for', 'Testing');
  await page.getByLabel('Limit of work in progress').fill('3');
  await visitor.isGood('project-new-column');
  await page.getByRole('button', { name: 'Create' }).click();
  await row(visitor, 'Deploying').getByText('At most 3').waitFor();
  expect((await boardNow(organization)).columns.at(-1)).toMatchObject({ name: 'Deploying', role: 'testing', limit: 3 });

  await page.getByRole('button', { name: 'More on Deploying' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Review');
  await page.getByRole('button', { name: 'Save' }).click();
  // At the field that it names.
  await page.getByText('must be unique on the board').waitFor();
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Name').fill('Rollout');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // Keys pressed one after the other mean one after the other; the handle keeps the focus.
  const handle = page.getByRole('button', { name: 'Move Rollout with the arrow keys' });
  await handle.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const inOrder = ['Backlog', 'To Do', 'In Progress', 'Review', 'Testing', 'Validating', 'Rollout', 'To Document'];
  await expect
    .poll(async () => (await boardNow(organization)).columns.map(({ name }) => name))
    .toEqual([...inOrder, 'Done']);
  expect(await namesOf(visitor)).toEqual([...inOrder, 'Done']);
  expect(await handle.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByText('Rollout is now 7 of 9.').waitFor();

  await page.locator('.project-column[draggable=true]').first().waitFor();
  await row(visitor, 'Rollout').dragTo(row(visitor, 'Testing'), { targetPosition: { x: 200, y: 4 } });
  await expect.poll(async () => (await namesOf(visitor)).slice(3, 6)).toEqual(['Review', 'Rollout', 'Testing']);
  await expect.poll(async () => (await boardNow(organization)).columns[4]?.name).toBe('Rollout');

  // It stays until it is deleted, which may be refused, and so does the focus.
  const board = `**/api/boards/${organization.boardId}`;
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(board, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  const more = page.getByRole('button', { name: 'More on Testing' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await asked.promise;
  await expect.poll(() => row(visitor, 'Testing').getAttribute('aria-busy')).toBe('true');
  held.resolve();
  await page.getByText('Column "Testing" holds 1 work item. Move them to another column').waitFor();
  await page.unroute(board);
  await expect.poll(() => row(visitor, 'Testing').getAttribute('aria-busy')).toBe('false');
  expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('button', { name: 'More on Rollout' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Rollout deleted.').waitFor();
  await expect.poll(() => more.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('z');
  await row(visitor, 'Rollout').getByText('At most 3').waitFor();
  expect((await boardNow(organization)).columns[4]).toMatchObject({ name: 'Rollout', role: 'testing', limit: 3 });

  // What others do meanwhile appears, and is not undone by what one does next.
  const { columns } = await boardNow(organization);
  const theirs = [...columns.map(({ id, name }) => ({ id, name })), { name: 'Theirs' }];
  await organization.call('PATCH', `/api/boards/${organization.boardId}`, { columns: theirs });
  await row(visitor, 'Theirs').waitFor();

  // Not even while one's own change is on its way: both are there in the end.
  const path = `/api/boards/${organization.boardId}`;
  let overtaken = false;
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'PATCH' && !overtaken) {
      overtaken = true;
      const { columns } = await boardNow(organization);
      const more = [...columns.map(({ id, name }) => ({ id, name })), { name: 'Faster' }];
      await organization.call('PATCH', path, { columns: more });
    }
    await route.continue();
  });
  await page.getByRole('button', { name: 'Move Theirs with the arrow keys' }).press('ArrowUp');
  const bothDone = [...columns.map(({ name }) => name).slice(0, -1), 'Theirs', columns.at(-1)?.name, 'Faster'];
  await expect.poll(async () => (await boardNow(organization)).columns.map(({ name }) => name)).toEqual(bothDone);
  expect(overtaken).toBe(true);
});

test('boards are added, renamed and made the default, and each has an address', async () => {
  const organization = await stage.newOrganization();
  const visitor = await visit(organization, 'boards');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New board' }).click();
  await page.getByLabel('Name').fill('Sprint');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect.poll(() => page.getByRole('combobox', { name: 'Board' }).inputValue()).toBe('Sprint');
  expect(page.url()).toContain('board=');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name').fill('Sprint 2');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('combobox', { name: 'Board' }).inputValue()).toBe('Sprint 2');
  await page.getByRole('button', { name: 'Make default' }).click();
  await page.getByText('Default', { exact: true }).waitFor();
  await page.getByText('Work changed.').waitFor();
  await visitor.isGood('project-two-boards');
  expect((await projectNow(organization)).defaultBoardId).not.toBe(organization.boardId);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('z');
  await expect.poll(async () => (await projectNow(organization)).defaultBoardId).toBe(organization.boardId);
  await page.getByRole('button', { name: 'Delete Sprint 2' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('combobox', { name: 'Board' }).waitFor({ state: 'detached' });
});

test('labels are added, renamed, given a colour that has a name, and deleted', async () => {
  const organization = await stage.newOrganization();
  const visitor = await visit(organization, 'labels');
  const { page } = visitor;
  await page.getByText('There are no labels yet.').waitFor();
  for (const name of ['Bug', 'Regression']) {
    await page.getByRole('button', { name: 'New label' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await row(visitor, name).waitFor();
  }
  await page.getByRole('button', { name: 'Edit Regression' }).click();
  await page.getByLabel('Name').fill('bug');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'The project already has a label "Bug".' }).waitFor();
  await page.getByLabel('Name').fill('Old fault');
  await choose(page, 'Colour', 'Purple');
  await page.getByRole('button', { name: 'Save' }).click();
  await row(visitor, 'Old fault').getByText('Purple').waitFor();
  await visitor.isGood('project-labels');
  await page.getByRole('button', { name: 'Delete Bug' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(visitor, 'Bug').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New label' }).click();
  await page.getByLabel('Name').fill('A mistake');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('A mistake created.').waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('z');
  await row(visitor, 'A mistake').waitFor({ state: 'detached' });
  expect(await labelsNow(organization)).toMatchObject([{ name: 'Old fault', colour: '#8250df' }]);

  // With the last one goes the list: the focus is on the page, and not on what leads elsewhere.
  await page.getByRole('button', { name: 'Delete Old fault' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no labels yet.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
});

test('a project is created with its gates enforced, changed, and deleted when its name has been typed', async () => {
  const organization = await stage.newOrganization();
  const visitor = await visit(organization, 'general');
  const { page } = visitor;
  await page.getByLabel('Enforce').check();
  await choose(page, 'A dependency is met from', 'Testing');
  await page.getByLabel('Key').fill('TOOLONG');
  await visitor.isGood('project-general');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('One to five letters, A to Z.', { exact: true }).waitFor();
  // As it is typed, also in the middle.
  await page.getByLabel('Key').fill('b');
  await page.getByLabel('Key').press('Home');
  await page.keyboard.type('we');
  await page.getByLabel('Description').fill('The shop.');
  await page.getByLabel('Technology').fill('TypeScript\nPostgreSQL');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => projectNow(organization))
    .toMatchObject({
      ...{ gates: 'enforce', dependencyMet: 'testing', key: 'WEB', description: 'The shop.' },
      techStack: ['TypeScript', 'PostgreSQL'],
    });
  await page.getByText('Work changed.').waitFor();
  // What others change meanwhile is shown in what one has not touched.
  await page.getByLabel('Key').fill('SHOP');
  await organization.call('PATCH', `/api/projects/${organization.projectId}`, { name: 'Shop' });
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Shop');
  expect(await page.getByLabel('Key').inputValue()).toBe('SHOP');

  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name').last().fill('Short-lived');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Short-lived' }).waitFor();
  expect(await page.getByLabel('Enforce').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Delete the project' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Type “Short-lived” to confirm').fill('Short-lived');
  await visitor.isGood('project-delete');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  const { projects } = await read<{ projects: Project[] }>(organization, '/api/projects');
  expect(projects.map(({ name }) => name)).toEqual(['Shop']);

  await createItem(organization, { title: 'Kept' });
  await page.getByRole('button', { name: 'Delete the project' }).click();
  await dialog.getByLabel('Type “Shop” to confirm').fill('Shop');
  await page.keyboard.press('Enter');
  await dialog.getByText('Project "Shop" holds 1 work item.').waitFor();
});

test('templates and budgets are set, changed and removed', async () => {
  const organization = await stage.newOrganization();
  const epic = await createItem(organization, { type: 'epic', title: 'Dark mode' });
  const visitor = await visit(organization, 'templates');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByLabel('Name').fill('Bug');
  await page.getByLabel('Description').fill('## What happens');
  await page.reload();
  await page.getByRole('button', { name: 'New template' }).click();
  await choose(page, 'Priority', 'High');
  await visitor.isGood('project-template');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Edit Bug' }).click();
  await page.getByLabel('Title').fill('Bug: ');
  await page.getByRole('button', { name: 'Save' }).click();
  await row(visitor, 'Bug').getByText('Bug:', { exact: true }).waitFor();
  const template = { name: 'Bug', type: 'task', title: 'Bug:', description: '## What happens', priority: 'high' };
  expect((await projectNow(organization)).templates).toEqual([template]);
  // What has been sent is nobody's draft any more.
  await page.getByRole('button', { name: 'New template' }).click();
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete Bug' }).click();
  await page.getByText('There are no templates yet.').waitFor();

  await page.getByRole('link', { name: 'Budgets' }).click();
  const budgets = async () =>
    (await read<{ budgets: Budget[] }>(organization, `/api/ai-usage?projectId=${organization.projectId}`)).budgets;
  for (const [of, limit] of [
    ['', '12.5'],
    ['dark', '5'],
  ] as const) {
    await page.getByRole('button', { name: 'Set a budget' }).click();
    if (of) {
      await page.getByLabel('For', { exact: true }).fill(of);
      await page.getByRole('option', { name: 'Dark mode' }).click();
    }
    await page.getByLabel('Limit (US dollars)').fill(limit);
    await choose(page, 'Period', 'Per month');
    // As in every dialog with a form.
    if (of) await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    else await page.getByLabel('Limit (US dollars)').press('Control+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByText('$0.00 of $12.50').waitFor();
  await visitor.isGood('project-budgets');
  expect(await budgets()).toMatchObject([
    { of: 'project', limitUsd: 12.5, period: 'month' },
    { of: epic.taskId, limitUsd: 5, period: 'month' },
  ]);
  await page.getByRole('button', { name: 'More on the budget: The project' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('Budget removed: The project.').waitFor();
  expect((await budgets()).map(({ of }) => of)).toEqual([epic.taskId]);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('z');
  await expect.poll(async () => (await budgets()).length).toBe(2);
});

test('what somebody may not do is not offered', async () => {
  const organization = await stage.newOrganization();
  const member = await organization.call<{ id: string }>('POST', '/api/users', {
    ...{ name: 'Grace', email: 'grace@example.com', role: 'member' },
  });
  const keyFor = async (fields: object) =>
    (await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Other', ...fields })).data.key;
  // Labels are for everybody who works; budgets are for owners and admins.
  const permissions = ['projects:read', 'work-items:read', 'work-items:write'];
  const worker = await visit(organization, '', { apiKey: await keyFor({ userId: member.data.id, permissions }) });
  await row(worker, 'Review').waitFor();
  const buttons = worker.page.getByRole('main').getByRole('button');
  expect(await buttons.count()).toBe(0);
  await worker.page.getByRole('link', { name: 'Budgets' }).click();
  await worker.page.getByText('No budget is set for this project.').waitFor();
  expect(await buttons.count()).toBe(0);
  await worker.page.getByRole('link', { name: 'Labels' }).click();
  await worker.page.getByRole('button', { name: 'New label' }).waitFor();

  const reader = await visit(organization, '', { apiKey: await keyFor({ permissions: ['projects:read'] }) });
  await reader.page.getByText('There is nothing here, or your session is not allowed to see it.').waitFor();
});

test.each(['de-DE', 'tr-TR', 'ja-JP'])('fits the screen in %s too', async (locale) => {
  const organization = await stage.newOrganization();
  for (const part of ['general', 'boards']) {
    const visitor = await visit(organization, part, { locale });
    await visitor.page.locator('.project-form, .project-column').first().waitFor();
    await visitor.fits(`project-${part}-${locale}`);
  }
});
