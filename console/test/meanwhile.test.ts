import type { NotificationSettings } from '@worktrack/contracts/events/notifications';
import type { Source } from '@worktrack/contracts/feedback/records';
import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '@worktrack/contracts/projects/project';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// What arrives late, or changes, while somebody types, chooses or has the focus.

const stage = openStage();

const itemNow = async ({ call }: TestOrganization, { id }: WorkItem) =>
  (await call<WorkItem>('GET', `/api/work-items/${id}`)).data;
const labelsOf = async (organization: TestOrganization, item: WorkItem) =>
  (await itemNow(organization, item)).labels.map(({ name }) => name);

/** Holds what is asked. @returns lets it go */
async function hold(page: Page, url: string | RegExp, method?: string): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (method && route.request().method() !== method) return route.fallback();
    await released.promise;
    await route.fallback();
  });
  return released.resolve;
}

test('labels that are entered before those of the project are read, or while others are saved, are all there', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Label me' });
  await organization.call('POST', `/api/projects/${organization.projectId}/labels`, { name: 'Bug', colour: '#1f6feb' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  const read = await hold(page, '**/api/projects/*/labels', 'GET');
  await page.goto(`${stage.url}/console/items/${item.taskId}`);
  const field = page.getByRole('combobox', { name: 'Labels' });
  await field.fill('bug');
  await field.press('Enter');
  await field.fill('ui');
  await field.press('Enter');
  await field.fill('typed since');
  read();
  await expect.poll(() => labelsOf(organization, item)).toEqual(['Bug', 'ui']);
  expect(await field.inputValue()).toBe('typed since');

  const save = await hold(page, `**/api/work-items/${item.id}`, 'PATCH');
  await page.getByRole('button', { name: 'Remove Bug' }).click();
  await page.getByRole('button', { name: 'Remove ui' }).click();
  save();
  await expect.poll(() => labelsOf(organization, item)).toEqual([]);
});

test('of two choices, the one that was made last stays, though the first is not saved yet', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'How urgent?' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const save = await hold(page, `**/api/work-items/${item.id}`, 'PATCH');
  await choose(page, 'Priority', 'High');
  await choose(page, 'Priority', 'Low');
  save();
  const priority = async () => (await itemNow(organization, item)).priority;
  await expect.poll(priority).toBe('low');
  await page.locator('.toast', { hasText: `${item.taskId} changed` }).waitFor();
  expect(await page.getByText('Somebody else').count()).toBe(0);
});

test('what is changed in an item is shown before it is saved, so that what was there can be chosen again', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'How urgent?', priority: 'low' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  let refused = 0;
  page.on('response', (response) => {
    if (response.status() === 409) refused++;
  });
  const save = await hold(page, `**/api/work-items/${item.id}`, 'PATCH');
  const shown = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
  await page.getByLabel('Estimate').fill('5');
  await page.getByLabel('Due date').fill('2030-05-17');
  await choose(page, 'Priority', 'High');
  expect([await shown('Estimate'), await shown('Due date'), await shown('Priority')]).toEqual([
    '5',
    '2030-05-17',
    'High',
  ]);
  await choose(page, 'Priority', 'Low');
  save();
  await page.locator('.toast', { hasText: `${item.taskId} changed` }).waitFor();
  await expect.poll(async () => (await itemNow(organization, item)).version).toBe(item.version + 4);
  expect(await itemNow(organization, item)).toMatchObject({ estimate: 5, dueDate: '2030-05-17', priority: 'low' });
  // Each is upon what the one before it has saved.
  expect(refused).toBe(0);
  expect([await shown('Estimate'), await shown('Due date'), await shown('Priority')]).toEqual([
    '5',
    '2030-05-17',
    'Low',
  ]);
});

test('what is written while a comment, a title or a setting is being saved is not lost', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Write' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const send = await hold(page, '**/comments', 'POST');
  const comment = page.getByLabel('Comment');
  await comment.fill('First.');
  await comment.press('Control+Enter');
  await comment.press('End');
  await page.keyboard.type(' Second.');
  send();
  await page.locator('.history').getByText('First.').waitFor();
  await expect.poll(() => comment.inputValue()).toBe('Second.');

  const save = await hold(page, `**/api/work-items/${item.id}`, 'PATCH');
  await page.getByRole('button', { name: 'Edit title' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Write more');
  await title.press('Enter');
  await page.keyboard.type(' of it');
  save();
  await page.locator('.toast', { hasText: 'Saved' }).waitFor();
  expect(await title.inputValue()).toBe('Write more of it');
  await title.press('Enter');
  await expect.poll(async () => (await itemNow(organization, item)).title).toBe('Write more of it');

  await page.goto(`${stage.url}/console/settings/project?project=${organization.projectId}`);
  const saveProject = await hold(page, `**/api/projects/${organization.projectId}`, 'PATCH');
  await page.getByLabel('Name').fill('Shop two');
  await page.getByLabel('Name').press('Enter');
  await page.getByLabel('Description').fill('It sells.');
  saveProject();
  await page.getByRole('heading', { name: 'Shop two' }).waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('It sells.');
  await page.getByRole('button', { name: 'Save' }).click();
  const description = async () =>
    (await organization.call<Project>('GET', `/api/projects/${organization.projectId}`)).data.description;
  await expect.poll(description).toBe('It sells.');
});

test('an action that was chosen last is done to what is shown now', async () => {
  const organization = await stage.newOrganization();
  const [one, other] = [
    await createItem(organization, { title: 'One', boardColumnId: 'Review' }),
    await createItem(organization, { title: 'Other', boardColumnId: 'Review' }),
  ];
  const { page } = await stage.visit(`items/${one.taskId}`, { apiKey: organization.apiKey });
  const palette = page.getByRole('dialog', { name: 'Go to or do' });
  const find = async (text: string) => {
    await page.keyboard.press('Control+k');
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type(text);
    await palette.getByRole('option', { name: text }).waitFor();
  };
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await find('Approve');
  expect(await palette.locator('[aria-keyshortcuts=a] kbd').textContent()).toBe('a');
  await page.keyboard.press('Enter');
  const columnOf = async (item: WorkItem) => (await itemNow(organization, item)).columnName;
  await expect.poll(() => columnOf(one)).not.toBe('Review');
  const then = await columnOf(one);
  await find(other.taskId);
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Other' }).getByRole('button', { name: 'Approve' }).waitFor();
  await page.keyboard.press('Control+k');
  await palette.getByRole('option', { name: 'Approve' }).click();
  await expect.poll(() => columnOf(other)).not.toBe('Review');
  expect(await columnOf(one)).toBe(then);
});

test('what is chosen of what needs somebody stays so when more comes above it, and is judged once', async () => {
  const organization = await stage.newOrganization();
  const { call, userId } = organization;
  await createItem(organization, { title: 'Mine', assignee: userId, boardColumnId: 'To Do' });
  const { page } = await stage.visit('for-you', { apiKey: organization.apiKey });
  const chosen = (title: string) => page.locator('.for-you-entry[aria-current="true"]', { hasText: title });
  const entry = (title: string) => page.locator('.for-you-entry', { hasText: title });
  await chosen('Mine').waitFor();
  for (const title of ['Alpha', 'Beta', 'Gamma', 'Delta']) {
    await createItem(organization, { title, boardColumnId: 'Review' });
    await entry(title).waitFor();
  }
  await chosen('Mine').waitFor();

  const toReview = async () => {
    const { items } = (await call<{ items: ForYouItem[] }>('GET', '/api/for-you?limit=100')).data;
    return items.flatMap(({ kind, workItem }) => (kind === 'review' ? [workItem?.title] : []));
  };
  await entry('Alpha').getByRole('link').focus();
  // Held down.
  await page.keyboard.down('a');
  await page.keyboard.down('a');
  await page.keyboard.up('a');
  await expect.poll(toReview).toEqual(['Beta', 'Gamma', 'Delta']);
  await page.getByRole('region', { name: 'To review' }).getByText('Alpha').waitFor({ state: 'detached' });

  const button = await entry('Beta').getByRole('button', { name: 'Approve' }).boundingBox();
  if (!button) throw new Error('There is no button.');
  await page.mouse.click(button.x + 5, button.y + 5);
  await chosen('Gamma').waitFor();
  // The second press of two, where the next one is now.
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await expect.poll(toReview).toEqual(['Gamma', 'Delta']);
  await page.mouse.click(button.x + 5, button.y + 5);
  await expect.poll(toReview).toEqual(['Delta']);
});

test('the second of two presses passes no other gate, and releases no other agent', async () => {
  const { organization } = stage;
  const { call, columns } = organization;
  const items = [];
  for (const agent of ['one', 'two']) {
    const item = await createItem(organization, { title: agent, boardColumnId: columns['To Do'] });
    await call('POST', '/api/work-items/claim', { ids: [item.id], agent });
    items.push(item);
  }
  const judged = await createItem(organization, { title: 'Judge me', boardColumnId: columns.Review });
  const { page } = await stage.visit(`items/${judged.taskId}`, { apiKey: organization.apiKey });
  const pressTwice = async (name: RegExp, arrived: () => Promise<unknown>) => {
    const button = await page.getByRole('button', { name }).first().boundingBox();
    if (!button) throw new Error('There is no button.');
    await page.mouse.click(button.x + 5, button.y + 5);
    await arrived();
    // Where the next button is now.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  };
  // A key is pressed again as soon as the next gate is shown, and not half a second later, when it is meant for that gate.
  await page.evaluate(() => {
    let shownAtMs: number | undefined;
    new MutationObserver(() => {
      if (!document.querySelector('.verdict')?.textContent?.includes('in Testing')) return;
      shownAtMs ??= performance.now();
      if (performance.now() - shownAtMs > 300) return;
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await pressTwice(/^Approve/, () => page.getByText('Handed over, in Testing.').waitFor());
  await page.goto(`${stage.url}/console/agents`);
  const agents = page.locator('.agents-one');
  await expect.poll(() => agents.count()).toBe(2);
  const [first] = await page.getByRole('heading', { level: 3 }).allTextContents();
  await pressTwice(/^Release/, () => agents.filter({ hasText: first }).waitFor({ state: 'detached' }));
  // Once it is pressed anew.
  await page.mouse.click(5, 5);
  expect(await agents.count()).toBe(1);
  const now = async (item: WorkItem) => (await itemNow(organization, item)).columnName;
  expect(await now(judged)).toBe('Testing');
  const held = await Promise.all(items.map(now));
  expect(held.filter((column) => column === 'In Progress')).toHaveLength(1);
});

test('an idea is made of the feedback that it was begun for, whatever comes in meanwhile; and words keep their spaces', async () => {
  const organization = await stage.newOrganization();
  const { call } = organization;
  const fields = { type: 'server', name: 'Shop', requireCaptcha: false };
  const { publicKey } = (await call<Source>('POST', '/api/feedback/sources', fields)).data;
  const submit = async (message: string) => {
    const { data } = await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`);
    await call('POST', '/feedback/ingest', { publicKey, token: data.token, message });
  };
  for (const title of ['Blue sky', 'Red sea']) await createItem(organization, { type: 'idea', title });
  await submit('The first.');
  const { page } = await stage.visit('inbox', { apiKey: organization.apiKey });
  await page.getByRole('article').getByText('The first.').waitFor();
  await page.keyboard.press('i');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Begun');
  await submit('The second.');
  await page.getByRole('button', { name: 'The second.' }).waitFor({ state: 'attached' });
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Begun');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('article').getByText('The first.').waitFor();
  await page.getByRole('article').getByRole('link', { name: 'Begun' }).waitFor();

  await page.keyboard.press('l');
  const words = dialog.getByLabel('Search for an idea');
  await words.pressSequentially('blue ');
  await dialog.getByRole('button', { name: 'Red sea' }).waitFor({ state: 'detached' });
  await words.pressSequentially('sky');
  expect(await words.inputValue()).toBe('blue sky');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const search = page.getByRole('searchbox');
  await search.pressSequentially('the ');
  await expect.poll(() => page.url()).toContain('q=the');
  await page.getByRole('button', { name: 'The second.' }).waitFor();
  await search.pressSequentially('first');
  expect(await search.inputValue()).toBe('the first');
  await expect.poll(() => page.url()).toContain('q=the+first');
});

test('a file that is stored while one writes elsewhere goes where it was dropped, and leaves the focus where it is', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Show me' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const store = await hold(page, '**/attachments', 'POST');
  const insert = page.getByRole('button', { name: 'Insert a file' });
  const [files] = await Promise.all([page.waitForEvent('filechooser'), insert.click()]);
  await files.setFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Note') });
  const comment = page.getByLabel('Comment');
  await expect.poll(() => comment.inputValue()).toContain('note.txt');
  // It is not whole yet.
  await comment.press('Control+Enter');
  expect(await page.getByRole('button', { name: 'Send', exact: true }).getAttribute('aria-disabled')).toBe('true');
  const assignee = page.getByRole('combobox', { name: 'Assignee' });
  await assignee.focus();
  await page.keyboard.type('gra');
  store();
  await expect.poll(() => comment.inputValue()).toContain('](/api/work-items/');
  await page.keyboard.type('c');
  // Where there is no room beside it any more: turned, as a tablet is.
  await page.setViewportSize({ width: 900, height: 900 });
  await expect
    .poll(() => page.locator('.item-parts').evaluate((parts) => getComputedStyle(parts).display))
    .toBe('flex');
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  await page.keyboard.type('e');
  expect(await assignee.inputValue()).toBe('grace');
  expect((await itemNow(organization, item)).assignee).toBeNull();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await itemNow(organization, item)).assignee).toBe('grace');
});

test('a new item keeps what was chosen when another project is, and is written in two tabs apart', async () => {
  const organization = await stage.newOrganization();
  const { data: elsewhere } = await organization.call<Project>('POST', '/api/projects', { name: 'Elsewhere' });
  const visitor = await stage.visit(`board?project=${organization.projectId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const begin = async (tab: Page, text: string) => {
    await tab.getByRole('button', { name: 'Create in Backlog' }).waitFor();
    await tab.keyboard.press('c');
    const title = tab.getByRole('dialog').getByLabel('Title');
    expect(await title.inputValue()).toBe(text);
    return title;
  };
  const title = await begin(page, '');
  await title.fill('One');
  await page.getByLabel('Estimate').fill('5');
  const read = await hold(page, '**/api/projects/*/boards');
  await choose(page, 'Project', 'Elsewhere');
  read();
  await expect.poll(() => page.getByRole('combobox', { name: 'Column' }).inputValue()).toBe('Backlog');
  expect(await page.getByLabel('Estimate').inputValue()).toBe('5');

  const { page: second } = await visitor.openTab('board');
  await (await begin(second, '')).fill('Two');
  for (const tab of [page, second]) await tab.reload();
  await begin(page, 'One');
  await begin(second, 'Two');
  await page.close();
  const { page: third } = await visitor.openTab('board');
  await begin(third, 'One');

  // Once its project is gone, another one is chosen by nobody else.
  const { data: over } = await organization.call<Project>('POST', '/api/projects', { name: 'Over' });
  const dialog = third.getByRole('dialog');
  await choose(dialog, 'Project', 'Over');
  await organization.call('DELETE', `/api/projects/${over.id}`);
  await expect.poll(() => dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Nothing was created.').waitFor();
  await choose(dialog, 'Project', 'Elsewhere');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { data } = await organization.call<{ workItems: WorkItem[] }>('GET', '/api/work-items');
  expect(data.workItems.map(({ title: made, projectId }) => [made, projectId])).toEqual([['One', elsewhere.id]]);
});

test('a role that is taken away or given back is heeded without a reload, also where nothing tells of it', async () => {
  const { call, ...organization } = await stage.newOrganization();
  const user = { name: 'Grace', email: 'grace@example.com', role: 'member' };
  const { data: grace } = await call<{ id: string }>('POST', '/api/users', user);
  const item = await createItem({ call, ...organization }, { title: 'Judge me', boardColumnId: 'Review' });
  const visit = async (fields: Readonly<Record<string, unknown>>) => {
    const { data } = await call<{ key: string }>('POST', '/api/api-keys', { userId: grace.id, ...fields });
    const { page, requests } = await stage.visit(`items/${item.taskId}`, { apiKey: data.key });
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    return { page, requests, approve };
  };
  const told = await visit({ name: 'All' });
  const permissions = ['projects:read', 'work-items:read', 'work-items:write'];
  const untold = await visit({ name: 'Sees no users', permissions });
  await call('PATCH', `/api/users/${grace.id}`, { role: 'viewer' });
  await told.approve.waitFor({ state: 'detached' });
  await untold.approve.click();
  await untold.page.getByText('Not recorded.').waitFor();
  await untold.approve.waitFor({ state: 'detached' });
  await call('PATCH', `/api/users/${grace.id}`, { role: 'member' });
  await told.approve.waitFor();
  // Of several calls that are refused at once, the first asks what is left, and one more after the others.
  const few = await call<{ id: string }>('POST', '/api/roles', { name: 'Few', permissions: ['projects:read'] });
  await call('PATCH', `/api/users/${grace.id}`, { role: few.data.id });
  const asked = () => untold.requests.filter(({ path }) => path === '/api/me').length;
  const before = asked();
  // Its answer takes the calls that are under way back.
  const all = Promise.withResolvers<void>();
  let refusals = 0;
  untold.page.on('response', (response) => {
    if (response.status() === 403 && ++refusals === 5) all.resolve();
  });
  await untold.page.route('**/api/me', async (route) => {
    await all.promise;
    await route.continue();
  });
  await untold.page.getByRole('link', { name: 'Costs', exact: true }).click();
  await untold.page.getByText('lacks the permission work-items:read').waitFor();
  expect(asked() - before).toBeLessThanOrEqual(2);
});

test('a key pressed while a dialog is being loaded is meant for nothing below it', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  await page.goto('about:blank');
  const load = await hold(page, '**/console/assets/later-*.js');
  await page.goto(`${stage.url}/console/board`);
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  load();
  await page.getByRole('dialog', { name: 'New work item' }).getByLabel('Title').waitFor();
  expect(await page.getByRole('dialog', { name: 'Keyboard' }).count()).toBe(0);
});

test('a board or a column that others delete is not replaced by another one under the name that is being written', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId, boardId } = organization;
  const { data: gone } = await call<Board>('POST', `/api/projects/${projectId}/boards`, { name: 'Second' });
  const { page } = await stage.visit(`settings/project?part=boards&board=${gone.id}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Renamed');
  await call('DELETE', `/api/boards/${gone.id}`);
  await page.getByText('This board no longer exists').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  const { name, columns } = (await call<Board>('GET', `/api/boards/${boardId}`)).data;
  await page.getByRole('link', { name }).click();

  await page.getByRole('button', { name: 'More on Validating' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Checked');
  const others = columns.filter((column) => column.name !== 'Validating');
  await call('PATCH', `/api/boards/${boardId}`, { columns: others.map(({ id, name: own }) => ({ id, name: own })) });
  await page.getByRole('button', { name: 'More on Validating' }).waitFor({ state: 'detached' });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('Somebody else has changed it since.').waitFor();
});

test('once an item is deleted, whoever has gone on meanwhile stays where they are', async () => {
  const organization = await stage.newOrganization();
  const [one, other] = [
    await createItem(organization, { title: 'Delete me' }),
    await createItem(organization, { title: 'Look at me' }),
  ];
  const { page } = await stage.visit(`board?panel=${one.taskId}`, { apiKey: organization.apiKey });
  const erase = await hold(page, `**/api/work-items/${one.id}`, 'DELETE');
  await page.getByRole('button', { name: `Actions for ${one.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: new RegExp(other.taskId) }).click();
  const panel = page.getByRole('complementary', { name: 'Look at me' });
  await panel.waitFor();
  erase();
  await page.locator('.toast', { hasText: 'deleted' }).waitFor();
  expect(await panel.count()).toBe(1);
});

test('in a list, labels are chosen by keys though they are read late, and what is written in a row that goes is saved', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const item = await createItem(organization, { title: 'Row' });
  await createItem(organization, { title: 'Next row' });
  await call('POST', `/api/projects/${projectId}/labels`, { name: 'Bug', colour: '#1f6feb' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  const read = await hold(page, '**/api/projects/*/labels', 'GET');
  await page.goto(`${stage.url}/console/list?priority=medium`);
  const cell = (name: string) => page.locator(`[data-item="${item.id}"] [data-cell=${name}]`);
  await cell('labels').click();
  await page.keyboard.press('ArrowDown');
  read();
  await page.getByRole('menuitem', { name: 'Bug' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => labelsOf(organization, item)).toEqual(['Bug']);

  await cell('title').getByRole('link').focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Row that goes');
  await call('PATCH', `/api/work-items/${item.id}`, { priority: 'low' });
  await cell('title').waitFor({ state: 'detached' });
  await expect.poll(async () => (await itemNow(organization, item)).title).toBe('Row that goes');
  await page.locator('[role=row] [data-cell=title] a').last().focus();
  expect(await page.locator('.list-input').count()).toBe(0);
});

test('what is typed before a list is read stays', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  const read = await hold(page, '**/api/audit?*');
  await page.goto(`${stage.url}/console/settings/audit`);
  const action = page.getByLabel('Action', { exact: true });
  await action.pressSequentially('projects.');
  read();
  await page.getByRole('listitem').getByText('projects.create').first().waitFor();
  await action.pressSequentially('create');
  expect(await action.inputValue()).toBe('projects.create');
  await action.press('Enter');
  await expect.poll(() => page.url()).toContain('action=projects.create');
});

test('a field follows others again once what was begun in it has been taken back', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Guess', estimate: 3 });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const estimate = page.getByLabel('Estimate');
  await estimate.focus();
  await estimate.press('End');
  await page.keyboard.type('5');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Tab');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { estimate: 8 });
  await expect.poll(() => estimate.inputValue()).toBe('8');
});

test('Enter means what is typed once what was offered, and one was at, is gone', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Vanishing' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('New');
  const field = dialog.getByRole('combobox', { name: 'Depends on' });
  await field.fill('vanishing');
  const option = dialog.getByRole('option', { name: item.taskId });
  await option.waitFor();
  await field.press('ArrowDown');
  await option.and(page.locator('[aria-selected=true]')).waitFor();
  await organization.call('DELETE', `/api/work-items/${item.id}`);
  await option.waitFor({ state: 'detached' });
  await field.press('Enter');
  await dialog.locator('.tag', { hasText: 'vanishing' }).waitFor();
});

test('both ends of the quiet hours are kept, though the second is written before the first is saved', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('notifications', { apiKey: organization.apiKey });
  const settings = async () =>
    (await organization.call<NotificationSettings>('GET', '/api/me/notifications')).data.quietHours;
  await page.getByLabel('Quiet hours').check();
  await expect.poll(settings).toMatchObject({ from: '22:00' });
  const save = await hold(page, '**/api/me/notifications', 'PATCH');
  await page.getByLabel('From').fill('21:00');
  await page.getByLabel('Until').fill('06:30');
  save();
  await expect.poll(settings).toMatchObject({ from: '21:00', to: '06:30' });
  expect(await page.getByLabel('From').inputValue()).toBe('21:00');
});

test('the change of a view is taken back, and its name is asked for on its screen alone', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const filters = { layout: 'list', priority: 'high' };
  const { data: view } = await call<View>('POST', '/api/views', { name: 'Mine', projectId, filters });
  const { page } = await stage.visit(`list?project=${projectId}&view=${view.id}&priority=low`, organization);
  await page.getByRole('button', { name: 'View Mine, changed here' }).click();
  await page.getByRole('menuitem', { name: 'Save changes' }).click();
  const filtersNow = async () => (await call<{ views: View[] }>('GET', '/api/views')).data.views[0]?.filters;
  await expect.poll(filtersNow).toMatchObject({ priority: 'low' });
  // It can be taken back from when the console knows that it is saved.
  await page.getByText('Mine saved.').waitFor();
  await page.keyboard.press('z');
  await expect.poll(filtersNow).toEqual(filters);

  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('link', { name: 'List' }).first().click();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog', { name: 'Save view' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Save view' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the list of a field stays beside it when what comes late moves the field, and where it was scrolled to', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  const read = await hold(page, '**/api/projects?*', 'GET');
  await page.goto(`${stage.url}/console/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const field = page.getByRole('combobox', { name: 'Expires' });
  await field.click();
  const list = page.getByRole('listbox');
  await list.waitFor();
  read();
  await page.getByRole('group', { name: 'Only in these projects' }).waitFor();
  const [of, shown] = [await field.boundingBox(), await list.boundingBox()];
  if (!of || !shown) throw new Error('It is not there.');
  expect(Math.min(Math.abs(shown.y - of.y - of.height), Math.abs(of.y - shown.y - shown.height))).toBeLessThan(5);

  // Where there is less room than it needs.
  await page.setViewportSize({ width: 1280, height: 220 });
  await field.evaluate((input) => input.scrollIntoView({ block: 'center' }));
  const isCut = () => list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  await expect.poll(isCut).toBeGreaterThan(10);
  await list.evaluate((options) => {
    options.scrollTop = 10;
    dispatchEvent(new Event('resize'));
  });
  expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(10);
});
