import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Locator, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();
const now = async ({ call }: TestOrganization, id: string) =>
  (await call<WorkItem>('GET', `/api/work-items/${id}`)).data;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('a comment is written with toolbar, lists, mentions, items and files, previewed, and is the Markdown that was seen', async () => {
  const organization = await stage.newOrganization();
  await organization.call('PATCH', `/api/users/${organization.userId}`, { name: 'Ada Lovelace' });
  const other = await createItem(organization, { title: 'Define the palette' });
  const item = await createItem(organization, { title: 'Talked about' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const field = page.getByLabel('Comment');
  await page.getByRole('button', { name: 'Bold' }).waitFor();

  await field.focus();
  await page.keyboard.type('Now');
  await page.keyboard.press('Control+A');
  await page.getByRole('button', { name: 'Bold' }).click();
  expect(await field.inputValue()).toBe('**Now**');
  await page.keyboard.press('Control+z');
  expect(await field.inputValue()).toBe('Now');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('- [ ] ask @ada');
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.type('after #palette');
  await page.getByRole('option', { name: `${other.taskId} Define the palette` }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  const [files] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Insert a file' }).click(),
  ]);
  await files.setFiles({ name: 'dark.png', mimeType: 'image/png', buffer: PNG });
  await expect.poll(() => field.inputValue()).toContain(`](/api/work-items/${item.id}/attachments/local?key=`);
  const text = await field.inputValue();
  expect(text).toMatch(
    new RegExp(`^- \\[ \\] ask @AdaLovelace \\n- \\[ \\] after ${other.taskId} \\n!\\[dark\\.png\\]`),
  );
  await visitor.isGood('writing');

  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('.editor-preview').getByRole('link', { name: other.taskId }).waitFor();
  await page.getByRole('button', { name: 'Write', exact: true }).click();
  await field.press('Control+Enter');
  await page.locator('.history [data-mention=own]', { hasText: '@AdaLovelace' }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

test('Enter chooses what is offered, also while the answer to the last letters is on its way', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Define the palette' });
  const { page } = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey });
  const field = page.getByLabel('Comment');
  await page.getByRole('button', { name: 'Bold' }).waitFor();
  await field.focus();
  await page.keyboard.type('#palett');
  await page.getByRole('option', { name: `${taskId} Define the palette` }).waitFor();
  let answer = () => {};
  const isChosen = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/search=palette/, async (route) => {
    await isChosen;
    await route.continue();
  });
  const asked = page.waitForRequest(/search=palette/);
  await page.keyboard.type('e');
  await asked;
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe(`${taskId} `);
  const answered = page.waitForResponse(/search=palette/);
  answer();
  await answered;
  expect(await field.inputValue()).toBe(`${taskId} `);
  expect(await page.getByRole('option').count()).toBe(0);
});

test('what is offered and still fits stays when the answer to the last letters is a failure', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Define the palette' });
  await createItem(organization, { title: 'Palettes of others' });
  const { page } = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey });
  const field = page.getByLabel('Comment');
  await page.getByRole('button', { name: 'Bold' }).waitFor();
  await field.focus();
  await page.keyboard.type('#palette');
  await expect.poll(() => page.getByRole('option').count()).toBe(2);
  await page.route(/search=palettes/, (route) => route.fulfill({ status: 400, json: { success: false } }));
  await page.keyboard.type('s');
  await expect
    .poll(() => page.getByRole('option').allTextContents())
    .toEqual([expect.stringContaining('Palettes of others')]);
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).not.toContain('#');
});

test('what is begun is there again after a reload and after signing out, until it has been sent', async () => {
  const organization = await stage.newOrganization();
  const fields = { title: 'Interrupted', description: 'As it was.', dueDate: '2030-05-17' };
  const item = await createItem(organization, fields);
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByLabel('Comment').fill('Half a comment');
  await page.getByRole('button', { name: 'Edit description' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Half a description');
  const [estimate, assignee] = [page.getByLabel('Estimate'), page.getByLabel('Assignee')];
  const due = page.getByLabel('Due date');
  const unsaved = page.locator('.field-help', { hasText: 'Not saved yet' });
  const refuse = (route: Route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 400 }) : route.continue();
  await page.route(`**/api/work-items/${item.id}`, refuse);
  await estimate.fill('5');
  await due.fill('');
  await assignee.pressSequentially('Gra');
  await page.locator('.toast-bad').waitFor();
  expect(await estimate.inputValue()).toBe('5');
  await page.reload();
  await unsaved.nth(2).waitFor();
  expect([await estimate.inputValue(), await due.inputValue(), await assignee.inputValue()]).toEqual(['5', '', 'Gra']);
  await page.unroute(`**/api/work-items/${item.id}`, refuse);
  await assignee.press('Tab');
  await estimate.press('Tab');
  await due.focus();
  await estimate.focus();
  const saved = { estimate: 5, dueDate: null, assignee: 'Gra' };
  await expect.poll(() => now(organization, item.id)).toMatchObject(saved);
  await unsaved.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Comment').inputValue()).toBe('Half a comment');
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(organization.apiKey);
  await page.keyboard.press('Enter');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { description: 'Changed meanwhile.' });
  await page.getByText('Changed meanwhile.').waitFor();
  await page.getByRole('button', { name: 'Not saved yet' }).click();
  expect(await page.getByLabel('Current version').inputValue()).toBe('Changed meanwhile.');
  expect(await page.getByLabel('Your version').inputValue()).toBe('Half a description');
  await page.getByRole('button', { name: 'Keep theirs' }).click();
  const seen = (await visitor.openTab(`items/${item.taskId}`)).page.getByLabel('Comment');
  await expect.poll(() => seen.inputValue()).toBe('Half a comment');
  await page.getByLabel('Comment').press('Control+Enter');
  await expect.poll(() => seen.inputValue()).toBe('');
  await page.locator('.history .markdown', { hasText: 'Half a comment' }).waitFor();
  await page.reload();
  await page.getByText('Changed meanwhile.').waitFor();
  expect(await page.getByLabel('Comment').inputValue()).toBe('');
  expect(await page.getByRole('button', { name: 'Not saved yet' }).count()).toBe(0);
});

test('a sub-item and the description of a project that are being written when the session ends are there again after a new sign-in, until they are saved', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Above', type: 'epic' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  for (const [path, name, what] of [
    [`items/${taskId}`, 'New sub-item', 'Half a title'],
    ['settings/project', 'Description', 'Half a description'],
  ] as const) {
    await page.goto(`${stage.url}/console/${path}`);
    const field = page.getByRole('textbox', { name, exact: true });
    await field.fill(what);
    const { data } = await organization.call<{ items: { id: string }[] }>('GET', '/api/sessions');
    await organization.call('DELETE', `/api/sessions/${data.items[0]?.id}`);
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('API key').fill(organization.apiKey);
    await page.keyboard.press('Enter');
    await field.waitFor();
    expect(await field.inputValue()).toBe(what);
  }
  const description = page.getByRole('textbox', { name: 'Description' });
  await page.getByRole('button', { name: 'Save' }).click();
  const project = `/api/projects/${organization.projectId}`;
  const saved = async () => (await organization.call<{ description: string }>('GET', project)).data.description;
  await expect.poll(saved).toBe('Half a description');
  await description.fill('Begun on what was there');
  await organization.call('PATCH', project, { description: 'Changed meanwhile' });
  // Shown beside it, while it is written and after a reload.
  await page.getByText('Somebody else has changed it since. Changed meanwhile').waitFor();
  await page.reload();
  await page.getByText('Somebody else has changed it since. Changed meanwhile').waitFor();
  expect(await description.inputValue()).toBe('Begun on what was there');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(saved).toBe('Begun on what was there');
  await page.getByText('Somebody else has changed it since.').waitFor({ state: 'detached' });
  await page.goto(`${stage.url}/console/items/${taskId}`);
  const title = page.getByRole('textbox', { name: 'New sub-item' });
  await title.press('Enter');
  await page.getByRole('link', { name: 'Half a title' }).waitFor();
  await page.reload();
  await title.waitFor();
  expect(await title.inputValue()).toBe('');
});

test('tasks in a description are ticked, its code is coloured, and a pasted table is one', async () => {
  const organization = await stage.newOrganization();
  const description = '- [ ] first\n- [x] second\n\n```ts\nconst answer = 42;\n```';
  const item = await createItem(organization, { title: 'A list', description });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const box = page.getByRole('checkbox', { name: 'first' });
  const [ofBox, ofLine] = [
    await box.boundingBox(),
    await page.getByRole('listitem').filter({ has: box }).boundingBox(),
  ];
  // Beside its text, not on a line of its own above it.
  expect(ofLine?.height).toBeLessThan(2 * (ofBox?.height ?? 0));
  await box.check();
  await expect.poll(async () => (await now(organization, item.id)).description).toContain('- [x] first\n- [x] second');
  await page.locator('pre .hljs-keyword', { hasText: 'const' }).waitFor();
  await page.getByLabel('Comment').evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    (field as HTMLTextAreaElement).focus();
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, 'Page\tCost\nCart\t$3\n');
  expect(await page.getByLabel('Comment').inputValue()).toContain('| Page | Cost |\n| --- | --- |\n| Cart | $3 |');
  // As spreadsheets and word processors do, with a picture of it and its formatting.
  await page.getByLabel('Comment').evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Rows\tof\na\tsheet\n');
    clipboardData.setData(
      'text/html',
      '<table><tr><td>Rows</td><td>of</td></tr><tr><td>a</td><td>sheet</td></tr></table>',
    );
    clipboardData.items.add(new File(['picture'], 'image.png', { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  expect(await page.getByLabel('Comment').inputValue()).toContain('| Rows | of |\n| --- | --- |\n| a | sheet |');
  expect(await page.getByLabel('Comment').inputValue()).not.toContain('image.png');
  expect(visitor.complaints).toEqual([]);
});

test('a file is dropped into a comment, and beside it takes the place of nothing', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Drop' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Insert a file' }).waitFor();
  const files = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['Note'], 'note.txt', { type: 'text/plain' }));
    return transfer;
  });
  const isTaken = (target: Locator) =>
    target.evaluate((element, dataTransfer) => {
      const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });
      return !element.dispatchEvent(over);
    }, files);
  // What nobody takes, the browser opens.
  expect(await isTaken(page.getByRole('heading', { level: 1 }))).toBe(true);
  expect(await isTaken(page.getByLabel('Comment'))).toBe(true);
  await page.getByLabel('Comment').dispatchEvent('drop', { dataTransfer: files });
  await expect.poll(() => page.getByLabel('Comment').inputValue()).toContain('[note.txt](/api/work-items/');
});

test('Escape of an input method takes back what is being composed, and not the title', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Compose' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Edit title' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Composed so far');
  await title.evaluate((field) => {
    const key = { key: 'Escape', isComposing: true, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent('keydown', key));
  });
  expect(await title.inputValue()).toBe('Composed so far');
  await title.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Compose', exact: true }).waitFor();
});

test('two people tick different tasks of one description at once, and both are ticked', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'A list', description: '- [ ] first\n- [ ] second' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const second = page.getByRole('checkbox', { name: 'second' });
  await second.waitFor();
  let isFirst = true;
  await page.route(`**/api/work-items/${item.id}`, async (route) => {
    if (route.request().method() === 'PATCH' && isFirst) {
      isFirst = false;
      const change = { description: '- [x] first\n- [ ] second' };
      await organization.call('PATCH', `/api/work-items/${item.id}`, change);
    }
    await route.continue();
  });
  await second.check();
  await expect.poll(async () => (await now(organization, item.id)).description).toBe('- [x] first\n- [x] second');
});

test('a reason for sending work back is kept until it is sent, over reloads; a verdict is taken back with z', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judged', boardColumnId: 'Review' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const columnOf = async () => (await now(organization, item.id)).columnName;
  await page.getByRole('button', { name: 'Send back' }).waitFor();
  await page.keyboard.press('x');
  // As fast as one can type.
  await page.keyboard.type('No tests');
  expect(await page.getByLabel('What is wrong?').inputValue()).toBe('No tests');
  await page.reload();
  await page.getByRole('button', { name: 'Send back' }).click();
  expect(await page.getByLabel('What is wrong?').inputValue()).toBe('No tests');
  await page.getByLabel('What is wrong?').press('Control+Enter');
  await expect.poll(columnOf).toBe('In Progress');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('z');
  await expect.poll(columnOf).toBe('Review');
  await page.getByRole('button', { name: 'Send back' }).click();
  expect(await page.getByLabel('What is wrong?').inputValue()).toBe('');
  // What is written here is not cleared by what is sent from another tab.
  const other = (await visitor.openTab(`items/${item.taskId}`)).page;
  await other.getByRole('button', { name: 'Send back' }).click();
  await page.getByLabel('Issues').fill('No docs');
  await page.keyboard.press('Escape');
  await other.getByLabel('What is wrong?').fill('Unclear');
  await other.keyboard.press('Control+Enter');
  await expect.poll(columnOf).toBe('In Progress');
  await other.getByRole('dialog').waitFor({ state: 'detached' });
  await other.keyboard.press('z');
  await expect.poll(columnOf).toBe('Review');
  await page.getByRole('button', { name: 'Send back' }).click();
  expect(await page.getByLabel('Issues').inputValue()).toBe('No docs');
});

test('a reason that did not arrive with its card is asked for with what was written, until it has', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judged', boardColumnId: 'Review' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
  const refuse = (route: Route) => route.fulfill({ status: 429, json: { success: false, error } });
  await page.route('**/move', refuse);
  const field = page.getByRole('dialog').getByLabel('What is wrong?');
  const move = async () => {
    await page.getByRole('button', { name: `Move ${item.taskId}` }).click();
    await page.getByRole('menuitem', { name: 'To To Do', exact: true }).click();
    await field.waitFor();
  };
  await move();
  await field.fill('No tests');
  await field.press('Control+Enter');
  await page.locator('.toast-bad', { hasText: item.taskId }).waitFor();
  await page.unroute('**/move', refuse);
  await move();
  expect(await field.inputValue()).toBe('No tests');
  await field.press('Control+Enter');
  await expect.poll(async () => (await now(organization, item.id)).rework).toMatchObject({ summary: 'No tests' });
  await organization.call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: 'Review', force: true });
  await page.locator('[aria-label^="Review,"]').getByText(item.taskId).waitFor();
  await move();
  expect(await field.inputValue()).toBe('');
});

test('a card opens in a panel with an address of its own; o opens it whole, Escape leads back to the card', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Beside the board' });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  const panel = page.getByRole('complementary', { name: 'Beside the board' });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.locator('.card').click({ position: { x: 5, y: 5 } });
  await panel.getByRole('heading', { name: 'Beside the board' }).waitFor();
  await visitor.isGood('panel');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.locator('.card-title').press('Enter');
  await panel.waitFor();
  const sent = await visitor.openTab(page.url().split('/console/')[1] as string);
  await sent.page.getByRole('complementary', { name: 'Beside the board' }).waitFor();
  await panel.getByLabel('Comment').fill('While I am here');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Beside the board');
  await page.keyboard.press('Enter');
  await panel.waitFor();
  await page.keyboard.press('o');
  await page.getByRole('heading', { level: 1, name: 'Beside the board' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/items/${item.taskId}`);
});
