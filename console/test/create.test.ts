import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const named = async ({ call }: TestOrganization, title: string) => {
  const { data } = await call<{ workItems: WorkItem[] }>('GET', `/api/work-items?search=${encodeURIComponent(title)}`);
  const found = data.workItems.find((item) => item.title === title);
  return found && (await call<WorkItem>('GET', `/api/work-items/${found.id}`)).data;
};

test('an item is created on every screen with the keyboard alone', async () => {
  const organization = await stage.newOrganization();
  const before = await createItem(organization, { title: 'Name all colours' });
  for (const screen of ['board', 'plan', 'agents', 'inbox', 'costs', 'settings', `items/${before.taskId}`]) {
    const visitor = await stage.visit(screen, { apiKey: organization.apiKey });
    const { page } = visitor;
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New work item' });
    await dialog.waitFor();
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type(`From ${screen}`);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await named(organization, `From ${screen}`)).toMatchObject({ type: 'task', columnName: 'Backlog' });
    await page.context().close();
  }
});

test('it has all that was chosen, and what is refused is said in the dialog, which keeps its input', async () => {
  const organization = await stage.newOrganization();
  const story = await createItem(organization, { type: 'story', title: 'Dark mode' });
  const before = await createItem(organization, { title: 'Name all colours' });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Create in To Do', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New work item' });
  await dialog.getByLabel('Title').fill('Use the colours');
  await dialog.getByLabel('Description').fill('In **all** places.');
  await choose(dialog, 'Priority', 'High');
  await dialog.getByLabel('Parent').fill('Dark');
  await dialog.getByRole('option', { name: `${story.taskId} Dark mode` }).click();
  expect(await dialog.getByLabel('Parent').inputValue()).toBe(story.taskId);
  await dialog.getByLabel('Labels').fill('Accessibility');
  await dialog.getByLabel('Labels').press('Enter');
  await dialog.getByRole('button', { name: 'Remove Accessibility' }).waitFor();
  await dialog.getByLabel('Due date').fill('2020-02-29');
  await dialog.getByLabel('Estimate').fill('0.5');
  await dialog.getByLabel('Depends on').fill('W-T-99999');
  await dialog.getByLabel('Depends on').press('Enter');
  await dialog.getByLabel('Depends on').fill(before.taskId);
  await visitor.isGood('create');
  await dialog.getByLabel('Title').press('Control+Enter');
  // Beside the field of which it is said, and not under the name that the API has for it.
  await dialog.getByText('W-T-99999 does not exist').waitFor();
  expect(await dialog.getByLabel('Depends on').getAttribute('aria-invalid')).toBe('true');
  expect(await dialog.getByRole('alert').textContent()).toBe('Nothing was created.');
  await dialog.getByRole('button', { name: 'Remove W-T-99999' }).click();
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Use the colours');
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByRole('region', { name: /^To Do/ })
    .getByText('Use the colours')
    .waitFor();
  await page.getByText('Overdue: 29 Feb 2020').waitFor({ state: 'attached' });
  expect(await named(organization, 'Use the colours')).toMatchObject({
    columnName: 'To Do',
    priority: 'high',
    description: 'In **all** places.',
    parentId: story.id,
    metadata: { dependsOn: [before.taskId] },
    labels: [{ name: 'Accessibility' }],
    dueDate: '2020-02-29',
    estimate: 0.5,
  });
  expect(visitor.complaints).toEqual([]);
});

test('what is typed chooses what begins with it, letter by letter, and finds it in any case in a Turkish browser as well', async () => {
  const organization = await stage.newOrganization();
  await organization.call('POST', '/api/projects', { name: 'IŞIK ve İş' });
  await organization.call('POST', '/api/projects', { name: 'Inbox' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey, locale: 'tr-TR' });
  await page.locator('.column').first().waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.locator('input:focus').waitFor();
  // The type: Görev until now, Epik.
  for (const key of ['Tab', 'Tab', 'Tab', 'e', 'p', 'Enter']) await page.keyboard.press(key);
  const type = dialog.getByRole('combobox', { name: 'Tür' });
  await expect.poll(() => type.inputValue()).toBe('Epik');
  await type.press('ArrowDown');
  await page.keyboard.press('e');
  // Others have it elsewhere.
  await expect.poll(() => dialog.getByRole('option').count()).toBeGreaterThan(1);
  expect(await dialog.getByRole('option').first().textContent()).toBe('Epik');
  await page.keyboard.press('Escape');
  const project = dialog.getByRole('combobox', { name: 'Proje' });
  for (const [typed, chosen] of [
    ['ışık', 'IŞIK ve İş'],
    ['inbox', 'Inbox'],
    ['VE İŞ', 'IŞIK ve İş'],
  ] as const) {
    await project.press('ArrowDown');
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await expect.poll(() => project.inputValue()).toBe(chosen);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await dialog.locator('input:focus').waitFor();
  await page.keyboard.type('proje: inbox');
  await dialog.getByRole('option', { name: 'Proje: Inbox' }).waitFor();
});

test('what the service cannot do at the moment is said in the language of the page', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('board', { apiKey: organization.apiKey, locale: 'de-DE' });
  await page.locator('.column').first().waitFor();
  const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
  const answer = { status: 429, json: { success: false, error } };
  await page.route('**/api/work-items', (route) => route.fulfill(answer));
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Titel').fill('Zu viel');
  await dialog.getByLabel('Titel').press('Control+Enter');
  await expect
    .poll(() => dialog.getByRole('alert').textContent())
    .toBe('Nichts wurde angelegt. Der Dienst kann das gerade nicht. Versuche es gleich noch einmal.');
});

test('created again after the answer was lost, an item is there once', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  const lose = async (route: Route) => {
    await route.fetch({ headers: { ...(await route.request().allHeaders()), origin: stage.url } });
    await route.abort();
  };
  await page.route('**/api/work-items', lose);
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Once');
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.getByText('The server is not responding.').waitFor();
  await page.unroute('**/api/work-items', lose);
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const titles = async () => {
    const { data } = await call<{ workItems: WorkItem[] }>('GET', `/api/work-items?projectId=${projectId}`);
    return data.workItems.map(({ title }) => title);
  };
  expect(await titles()).toEqual(['Once']);
  // The same words later are another one.
  await page.keyboard.press('c');
  await dialog.getByLabel('Title').fill('Once');
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await titles()).toEqual(['Once', 'Once']);
});

test('closed by accident, or with its page, it opens again with what was written', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  await page.keyboard.press('c');
  const title = page.getByRole('dialog').getByLabel('Title');
  await title.fill('Half a thought');
  await title.press('Escape');
  await title.waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  expect(await title.inputValue()).toBe('Half a thought');
  await title.fill('Half a thought more');
  await page.keyboard.press('Tab');
  await choose(page.getByRole('dialog'), 'Type', 'Epic');
  await page.getByLabel('Sub-items').fill('One\nTwo');
  await page.getByLabel('Due date').fill('2030-05-17');
  await page.reload();
  await page.getByRole('button', { name: 'Create in To Do', exact: true }).click();
  expect(await title.inputValue()).toBe('Half a thought more');
  expect(await page.getByRole('dialog').getByRole('combobox', { name: 'Type' }).inputValue()).toBe('Epic');
  expect(await page.getByLabel('Sub-items').inputValue()).toBe('One\nTwo');
  await title.press('Control+Enter');
  await title.waitFor({ state: 'detached' });
  const made = await named(organization, 'Half a thought more');
  expect(made).toMatchObject({ type: 'epic', columnName: 'To Do', dueDate: '2030-05-17' });
  expect(await named(organization, 'Two')).toMatchObject({ parentId: made?.id });
  await page.reload();
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  await page.keyboard.press('c');
  expect(await title.inputValue()).toBe('');
  expect(await page.getByRole('dialog').getByRole('combobox', { name: 'Type' }).inputValue()).toBe('Task');
});

test('a label that is typed and not entered, or is still being made, is the new item’s', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  const released = Promise.withResolvers<void>();
  await page.route('**/api/projects/*/labels', async (route) => {
    if (route.request().method() === 'POST') await released.promise;
    await route.fallback();
  });
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Labelled');
  const labels = dialog.getByLabel('Labels');
  await labels.fill('Entered');
  await labels.press('Enter');
  await labels.fill('Typed');
  await labels.press('Control+Enter');
  released.resolve();
  await dialog.waitFor({ state: 'detached' });
  const found = await named(organization, 'Labelled');
  expect(found?.labels.map(({ name }) => name).sort()).toEqual(['Entered', 'Typed']);
});

test('nobody who may only read is offered it', async () => {
  const organization = await stage.newOrganization();
  const reader = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'Reader',
    permissions: ['projects:read', 'work-items:read'],
  });
  const { page } = await stage.visit('board', { apiKey: reader.data.key });
  await page.getByRole('region', { name: /^Backlog/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Create in Backlog' }).count()).toBe(0);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Show this help').waitFor();
  expect(await page.getByRole('dialog').getByText('Create a work item').count()).toBe(0);
});

test('sub-items are written one after the other, or split by lines that depend on each other', async () => {
  const organization = await stage.newOrganization();
  const epic = await createItem(organization, { type: 'epic', title: 'Dark mode' });
  const visitor = await stage.visit(`items/${epic.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const input = page.getByLabel('New sub-item');
  await input.focus();
  for (const title of ['Name', 'Use', 'Check']) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
  }
  const children = page.getByRole('region', { name: 'Children' });
  await children.getByRole('link', { name: /Check$/ }).waitFor();
  const { data } = await organization.call<{ workItems: WorkItem[] }>('GET', `/api/work-items?parentId=${epic.id}`);
  expect(data.workItems.map(({ title, type }) => [title, type])).toEqual(
    ['Check', 'Use', 'Name'].map((title) => [title, 'task']),
  );
  const titles = page.getByRole('dialog').getByRole('textbox');
  const split = page.getByRole('button', { name: 'Split by lines' });
  await split.click();
  await titles.fill('- [ ] First\n\n2. Second');
  await page.keyboard.press('Escape');
  await page.reload();
  // What is pasted is added to what was begun.
  await input.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Third\nFourth');
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect.poll(() => titles.inputValue()).toBe('- [ ] First\n\n2. Second\nThird\nFourth');
  await page.getByLabel('Each depends on the one before').check();
  await visitor.isGood('split-by-lines');
  await titles.press('Control+Enter');
  await children.getByRole('link', { name: /Fourth$/ }).waitFor();
  const first = await named(organization, 'First');
  expect((await named(organization, 'Second'))?.metadata).toEqual({ dependsOn: [first?.taskId] });
  await split.click();
  expect(await titles.inputValue()).toBe('');
  expect(visitor.complaints).toEqual([]);
});

test('a sub-item that was refused is edited without what has been typed since being lost', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { type: 'epic', title: 'Long titles' });
  const { page } = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey });
  const input = page.getByLabel('New sub-item');
  const tooLong = 'long '.repeat(101).trim();
  await input.fill(tooLong);
  await input.press('Enter');
  const edit = page.locator('.toast').getByRole('button', { name: 'Edit' });
  await edit.click();
  expect(await input.inputValue()).toBe(tooLong);
  await input.press('Enter');
  await edit.waitFor();
  await input.fill('long');
  const split = page.getByRole('button', { name: 'Split by lines' });
  const titles = page.getByRole('dialog').getByRole('textbox');
  await split.click();
  await titles.fill(`${tooLong} and more`);
  await page.keyboard.press('Escape');
  await edit.click();
  // Also where what was begun there contains it.
  await expect.poll(() => titles.inputValue()).toBe(`${tooLong} and more\n${tooLong}`);
  await page.keyboard.press('Escape');
  expect(await input.inputValue()).toBe('long');
  // More of them than there are other messages at once.
  for (let nth = 1; nth <= 5; nth++) {
    await input.fill(`${nth} ${tooLong}`);
    await input.press('Enter');
  }
  await expect.poll(() => edit.count()).toBe(5);
  await edit.first().click();
  expect(await input.inputValue()).toBe(`1 ${tooLong}`);
});

test('a template fills the dialog, lines become sub-items in their order, and z takes all of it back', async () => {
  const organization = await stage.newOrganization();
  const templates = [{ name: 'Release', type: 'epic', title: 'Release', description: '## Check', priority: 'high' }];
  await organization.call('PATCH', `/api/projects/${organization.projectId}`, { templates });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.locator('.column').first().waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'New work item' });
  await choose(dialog, 'Template', 'Release');
  expect(await dialog.getByLabel('Description').inputValue()).toBe('## Check');
  await dialog.locator('input:focus').and(dialog.getByLabel('Title')).waitFor();
  await page.keyboard.type(' Two');
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Release Two');
  await dialog.getByLabel('Sub-items').fill('- [ ] Freeze\n- [ ] Test\n- [ ] Ship');
  await dialog.getByLabel('Each depends on the one before').check();
  const [type, lines] = await Promise.all(['Type', 'Sub-items'].map((of) => dialog.getByLabel(of).boundingBox()));
  expect(lines?.y, 'after what they come with').toBeGreaterThan(type?.y ?? Number.POSITIVE_INFINITY);
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => named(organization, 'Ship')).toBeDefined();
  const [epic, before, ship] = await Promise.all(['Release Two', 'Test', 'Ship'].map((of) => named(organization, of)));
  expect(epic).toMatchObject({ type: 'epic', priority: 'high', description: '## Check' });
  expect(ship).toMatchObject({ type: 'task', parentId: epic?.id, metadata: { dependsOn: [before?.taskId] } });
  await page.keyboard.press('z');
  await expect.poll(() => named(organization, 'Release Two')).toBeUndefined();
  expect(await named(organization, 'Ship')).toBeUndefined();
  expect(visitor.complaints).toEqual([]);
});

test('Ctrl+K finds an item of any project by its words or ID, and does what the screen offers', async () => {
  const organization = await stage.newOrganization();
  const { data: other } = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Elsewhere' });
  const boards = await organization.call<{ id: string }[]>('GET', `/api/projects/${other.id}/boards`);
  const place = { projectId: other.id, boardId: boards.data[0]?.id ?? '', boardColumnId: 'Backlog' };
  const item = await createItem(organization, { title: 'Sought-after palette', ...place });
  await createItem(organization, { title: 'Another palette' });
  const visitor = await stage.visit('agents', { apiKey: organization.apiKey });
  const { page } = visitor;
  const palette = page.getByRole('dialog', { name: 'Go to or do' });
  const panel = page.getByRole('complementary', { name: 'Sought-after palette' });
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  for (const text of ['sought', item.taskId.toLowerCase()]) {
    await page.keyboard.press('Control+k');
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+k');
  await palette.getByRole('option').first().waitFor();
  expect(await palette.getByRole('option').first().textContent()).toContain('Sought-after palette');
  // What is offered covers neither what is typed nor the hint.
  const inList = () =>
    palette.evaluate((dialog) => {
      const isCovered = (part: Element | null) => {
        const { left, top, height } = part?.getBoundingClientRect() ?? new DOMRect();
        return document.elementFromPoint(left + 20, top + height / 2)?.closest('[role=listbox]') !== null;
      };
      return [dialog.querySelector('input'), dialog.querySelector('.palette-hint')].map(isCovered);
    });
  expect(await inList()).toEqual([false, false]);
  await page.keyboard.press('ArrowUp');
  const last = palette.getByRole('option').last();
  await palette.locator('[role=option][aria-selected=true]').and(last).waitFor();
  expect(await last.evaluate((option) => option.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  await visitor.isGood('palette');
  await page.keyboard.type('create a');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New work item' }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

test('Ctrl+K says that its search failed, and not that there is nothing', async () => {
  const { page } = await stage.visit('agents');
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await page.route('**/api/work-items?search=*', (route) => route.abort());
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to or do' });
  await palette.locator('input:focus').waitFor();
  await page.keyboard.type('nothing of that name');
  const said = palette.getByRole('status');
  await said.getByText('This could not be loaded. The server is not responding.').waitFor();
});

test('Ctrl+K goes to every section of the settings that one may see, in the language of the page', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('agents', { apiKey: organization.apiKey });
  const palette = page.getByRole('dialog').filter({ has: page.getByRole('combobox') });
  const settings = palette.getByRole('option', { name: /^(Settings|Project settings|Einstellungen): / });
  const offered = async () => (await settings.allTextContents()).map((text) => text.replace(/^.*: /, '').trim());
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await page.keyboard.press('Control+k');
  const sections = [
    'API keys',
    'Users',
    'Roles',
    'Sessions',
    'Project',
    'Feedback sources',
    'Webhooks',
    'Connected apps',
  ];
  const parts = ['General', 'Boards', 'Labels', 'Budgets', 'Templates'];
  // Those of a project come once it is known that there is one.
  await expect
    .poll(offered)
    .toEqual([...[...sections, 'Trust for CI', 'Health', 'Audit log'], ...[...parts, 'Notifications']]);
  for (const [typed, address] of [
    ['webhooks', '/console/settings/webhooks?'],
    ['budgets', 'part=budgets'],
    ['settings notif', '/console/notifications?'],
  ] as const) {
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type(typed);
    await expect.poll(() => settings.count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
  }
  const { data: key } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    ...{ name: 'A reader', permissions: ['webhooks:read'] },
  });
  const reader = await stage.visit('settings', { apiKey: key.key, locale: 'de-DE' });
  await reader.page.getByRole('heading', { level: 1 }).waitFor();
  await reader.page.keyboard.press('Control+k');
  await reader.page.getByRole('option', { name: 'Einstellungen: Webhooks' }).waitFor();
  const named = await reader.page.getByRole('option', { name: /^Einstellungen: / }).allTextContents();
  expect(named.map((text) => text.trim())).toEqual([
    ...['Einstellungen: Webhooks', 'Einstellungen: Verbundene Apps', 'Einstellungen: Zustand'],
  ]);
});
