import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const now = async (organization: TestOrganization, id: string) =>
  (await organization.call<WorkItem>('GET', `/api/work-items/${id}`)).data;

const DESCRIPTION = `# Colours

Follow the *system* setting. <img src=x onerror="document.title = 'broken into'"><script>document.title = 'broken into'</script>

- [x] light
- [ ] dark

| name | value |
|---|---|
| ink | \`#111\` |

![A tracker](https://tracker.example/pixel.png) [click](javascript:alert(1)) [docs](https://docs.example/)
`;

test('shows everything known about an item, and runs and loads nothing that is written in it', async () => {
  const organization = await stage.newOrganization();
  const story = await createItem(organization, { type: 'story', title: 'Dark mode' });
  const before = await createItem(organization, { title: 'Name all colours' });
  const item = await createItem(organization, {
    title: 'Use the colours',
    description: DESCRIPTION,
    parentId: story.id,
    dependsOn: [before.taskId],
  });
  const session = { model: 'gpt-4o', provider: 'openai', totalTokens: 120_000 };
  await organization.call('POST', `/api/work-items/${item.id}/ai-sessions`, session);
  await organization.call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: 'Review' });
  const review = {
    result: 'fail',
    summary: 'Unreadable in the dark.',
    issues: ['The links'],
    reviewedFiles: ['a.css'],
  };
  await organization.call('POST', `/api/work-items/${item.id}/review`, review);

  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('heading', { level: 1, name: 'Use the colours' }).waitFor();
  const main = page.locator('article');
  expect(await main.getByRole('checkbox', { name: 'light' }).isChecked()).toBe(true);
  for (const text of ['Name all colours', 'Dark mode', 'Unreadable in the dark.', 'The links', 'gpt-4o']) {
    await main.getByText(text).first().waitFor();
  }
  await page.getByText('moved it from Review to In Progress').waitFor();
  expect(await page.title()).toContain('Use the colours · worktrack');
  const markdown = page.locator('.markdown').first();
  expect(await markdown.locator('script, [onerror], [style]').count()).toBe(0);
  expect(await markdown.getByRole('link', { name: 'A tracker' }).getAttribute('href')).toBe(
    'https://tracker.example/pixel.png',
  );
  expect(await markdown.getByText('click').getAttribute('href')).toBe(null);
  expect(visitor.complaints).toEqual([]);
  await visitor.isGood('item');

  await page
    .getByRole('link', { name: /Dark mode/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Dark mode' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Dark mode');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Use the colours' }).waitFor();
});

test('title, description, priority and column are changed in place, with the keyboard alone', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Old' });
  const { page, complaints } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Edit title' }).press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).press('Control+A');
  await page.keyboard.type('New');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Edit title');
  await page.getByRole('button', { name: 'Edit description' }).press('Enter');
  await page.keyboard.type('**Bold**');
  await page.keyboard.press('Control+Enter');
  await page.locator('.markdown strong', { hasText: 'Bold' }).waitFor();
  await choose(page, 'Priority', 'Urgent');
  await expect.poll(async () => (await now(organization, item.id)).priority).toBe('urgent');
  await choose(page, 'Column', 'Review');
  await expect.poll(async () => (await now(organization, item.id)).columnName).toBe('Review');
  expect(await now(organization, item.id)).toMatchObject({ title: 'New', description: '**Bold**' });
  expect(complaints).toEqual([]);
});

test('a conflict shows both versions and loses neither; others’ changes elsewhere in it are no conflict', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Shared', description: 'First.' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Edit description' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Mine.');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { description: 'Theirs.' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'Somebody else changed this in the meantime' }).waitFor();
  expect(await page.getByLabel('Current version').inputValue()).toBe('Theirs.');
  expect(await page.getByLabel('Your version').inputValue()).toBe('Mine.');
  await visitor.isGood('item-conflict');
  expect((await now(organization, item.id)).description).toBe('Theirs.');
  await page.getByLabel('Your version').fill('Mine and theirs.');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { priority: 'high' });
  await page.getByRole('button', { name: 'Save mine' }).click();
  await page.locator('.markdown', { hasText: 'Mine and theirs.' }).waitFor();
  expect(await now(organization, item.id)).toMatchObject({ description: 'Mine and theirs.', priority: 'high' });
  // What others changed while one was writing is not overwritten unseen.
  await page.getByLabel('Estimate').fill('5');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { estimate: 9, priority: 'low' });
  await expect.poll(() => page.getByRole('combobox', { name: 'Priority' }).inputValue()).toBe('Low');
  await page.getByLabel('Estimate').press('Enter');
  await page.getByText(`Somebody else has changed ${item.taskId}`).waitFor();
  await expect.poll(() => page.getByLabel('Estimate').inputValue()).toBe('9');
  expect((await now(organization, item.id)).estimate).toBe(9);
  // Nor is anything lost that was being written when it is deleted.
  await page.getByRole('button', { name: 'Edit description' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Half a thought');
  await page.getByLabel('Comment').fill('Half a comment');
  await organization.call('DELETE', `/api/work-items/${item.id}`);
  await page.getByText('it was deleted or never existed').waitFor();
  const begun = page.getByRole('textbox', { name: 'Not saved yet' });
  const texts = () => begun.evaluateAll((all) => all.map((each) => (each as HTMLTextAreaElement).value).toSorted());
  await expect.poll(texts).toEqual(['Half a comment', 'Half a thought']);
});

test('a long history is read to its beginning', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Talked about for long' });
  for (let n = 1; n <= 205; n++) {
    await organization.call('POST', `/api/work-items/${item.id}/comments`, { text: `Comment ${n}.` });
  }
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const entries = page.locator('.history > li');
  const more = page.locator('.item-activity').getByRole('button', { name: 'Show more' });
  await page.getByText('The latest 50 of 206').waitFor();
  await more.click();
  await page.getByText('The latest 200 of 206').waitFor();
  await organization.call('POST', `/api/work-items/${item.id}/comments`, { text: 'Meanwhile.' });
  await page.locator('.history').getByText('Meanwhile.').waitFor();
  await more.click();
  await page.locator('.history').getByText('Comment 1.', { exact: true }).waitFor();
  await expect.poll(() => entries.count()).toBe(207);
  expect(await more.count()).toBe(0);
});

test('of what was made of an epic, only what is in view is laid out', async () => {
  const { organization } = stage;
  const epic = await createItem(organization, { type: 'epic', title: 'Much' });
  const items = Array.from({ length: 100 }, (_, n) => ({ type: 'task', title: `Part ${n}`, parentId: epic.id }));
  const { boardId, projectId, columns } = organization;
  await organization.call('POST', '/api/work-items/batch', {
    projectId,
    boardId,
    boardColumnId: columns.Backlog,
    items,
  });
  const { page } = await stage.visit(`items/${epic.taskId}`);
  const links = page.getByRole('region', { name: 'Trace' }).getByRole('link');
  await expect.poll(() => links.count()).toBe(100);
  const isLaidOut = () => links.last().evaluate((link) => link.checkVisibility({ contentVisibilityAuto: true }));
  expect(await isLaidOut()).toBe(false);
  await links.last().focus();
  await expect.poll(isLaidOut).toBe(true);
});

test('comments are sent, and files are attached, shown and deleted', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Talked about' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByLabel('Comment').fill('Use the *palette*.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.history em', { hasText: 'palette' }).waitFor();
  // Which a screen reader says, too.
  await page.locator('.toasts[aria-live]').getByText('Sent.').waitFor();
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await page.getByLabel('Attach a file').setInputFiles({ name: 'dark.png', mimeType: 'image/png', buffer: png });
  const preview = page.getByRole('img', { name: 'Preview of dark.png' });
  await preview.waitFor();
  await expect.poll(() => preview.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await page.getByRole('button', { name: 'Delete dark.png' }).click();
  await visitor.isGood('item-delete-attachment');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await preview.waitFor({ state: 'detached' });
  expect((await organization.call<unknown[]>('GET', `/api/work-items/${item.id}/attachments`)).data).toEqual([]);
});

test('an agent’s work is shown session by session, under its own name, and each change with what it was before', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const [epic, item] = [
    await createItem(organization, { type: 'epic', title: 'Dark mode' }),
    await createItem(organization, {
      title: 'Use the colours of the theme',
      description: `${'All of this stays as it is. '.repeat(20)}Links are blue.`,
      boardColumnId: 'To Do',
    }),
  ];
  const claim = { projectId, ids: [item.id], agent: 'nightly-1' };
  const { data } = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const leaseToken = data.lease.token;
  const beat = { leaseToken, model: 'gpt-4o', provider: 'openai', totalTokens: 50_000 };
  await call('POST', `/api/work-items/${item.id}/progress`, beat);
  await call('PATCH', `/api/work-items/${item.id}`, {
    title: 'Use the colours of the system',
    description: `${'All of this stays as it is. '.repeat(20)}Links are green.`,
    priority: 'urgent',
    parentId: epic.id,
    metadata: { branch: 'dark <b>mode</b>' },
  });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const work = page.getByRole('region', { name: 'Work by session' }).getByRole('listitem').first();
  await work.getByText('nightly-1').waitFor();
  await work.getByText('Working').waitFor();
  await work.getByText('50K tokens').waitFor();

  const done = { leaseToken, model: 'gpt-4o', provider: 'openai', totalTokens: 120_000, durationMs: 420_000 };
  await call('POST', `/api/work-items/${item.id}/ai-completion`, done);
  await work.getByText(/5 steps · 1 heartbeat · 7 mins? · 120K Tokens · \$0.525/i).waitFor();
  expect(await work.getByText('Working').count()).toBe(0);
  await work.getByText('nightly-1').click();
  await work.getByText('nightly-1 changed').first().waitFor();

  const entry = page.locator('.item-activity').getByRole('listitem').filter({ hasText: 'nightly-1 changed Title' });
  await entry.getByText(/gpt-4o · Run \w{6} · /).waitFor();
  await entry.locator('del', { hasText: 'theme' }).waitFor();
  expect(await entry.locator('del').allTextContents()).toEqual(['theme', 'blue']);
  expect(await entry.locator('ins').allTextContents()).toEqual(['system', 'green']);
  await entry.getByText('Priority: Medium → Urgent').waitFor();
  await entry.getByRole('link', { name: 'Dark mode' }).waitFor();
  // Of a text that stays, only what is around the change.
  expect((await entry.locator('.text-diff').allTextContents())[1]).toMatch(/^….{40,80}$/);
  expect(await entry.getByText('dark <b>mode</b>').isVisible()).toBe(false);
  await entry.getByText('branch').click();
  await entry.getByText('dark <b>mode</b>').waitFor();
  await visitor.isGood('item-work');
});

test('an item that does not exist says so', async () => {
  const visitor = await stage.visit('items/W-T-99999');
  await visitor.page.getByRole('heading', { name: 'There is no item W-T-99999' }).waitFor();
  await visitor.isGood('item-gone');
});

test('what was handed over is approved with one key, and sent back with a reason that the next agent gets', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await visitor.isGood('verdict');
  await page.keyboard.press('x');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Unreadable in the dark.');
  await page.keyboard.press('Tab');
  await page.keyboard.type('The links');
  await page.keyboard.press('Control+Enter');
  await page.getByText(`${item.taskId} sent back`).waitFor();
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
  expect(await now(organization, item.id)).toMatchObject({
    columnName: 'In Progress',
    rework: { from: 'review', summary: 'Unreadable in the dark.', issues: ['The links'] },
  });

  await organization.call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: 'Testing' });
  await page.getByText('Handed over, in Testing').waitFor();
  await page.keyboard.press('a');
  await page.getByText(`${item.taskId} approved.`).waitFor();
  expect(await now(organization, item.id)).toMatchObject({ columnName: 'To Document' });
  const usage = await organization.call<{ totals: object }>('GET', `/api/ai-usage?workItemId=${item.id}`);
  expect(usage.data.totals).toMatchObject({ sessions: 1, totalTokens: 0, estimatedCost: '0.000000' });
  expect(visitor.complaints).toEqual([]);
});

test('what was handed over anew while reasons were written is not sent back for them, unless somebody has seen it', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await page.keyboard.press('x');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Unreadable in the dark.');
  await organization.call('PATCH', `/api/work-items/${item.id}`, { title: 'Mended meanwhile' });
  await page.getByText('Mended meanwhile').first().waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Somebody else has changed it in the meantime').waitFor();
  expect(await now(organization, item.id)).toMatchObject({ columnName: 'Review' });
  // What was written is there again.
  await page.keyboard.press('x');
  const reasons = page.getByRole('dialog').getByRole('textbox').first();
  await expect.poll(() => reasons.inputValue()).toBe('Unreadable in the dark.');
  await page.keyboard.press('Control+Enter');
  await page.getByText(`${item.taskId} sent back`).waitFor();
  expect(await now(organization, item.id)).toMatchObject({ rework: { summary: 'Unreadable in the dark.' } });
  expect(visitor.complaints).toEqual([]);
});

test('what has changed since the page was drawn is approved with one key', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await organization.call('PATCH', `/api/work-items/${item.id}`, { title: 'Seen as well' });
  await page.getByText('Seen as well').first().waitFor();
  await page.keyboard.press('a');
  await page.getByText(`${item.taskId} approved.`).waitFor();
});

test('on a touch screen, boxes are large enough for a finger, and no keys are shown', async () => {
  const organization = await stage.newOrganization();
  const fields = { title: 'Judge me', description: '- [ ] light', boardColumnId: 'Review' };
  const item = await createItem(organization, fields);
  const finger = { hasTouch: true, isMobile: true, viewport: { width: 375, height: 812 } };
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey, ...finger });
  /** The least side of each box, and the height of each line that ticks it too. */
  const sizes = () =>
    page.getByRole('checkbox').evaluateAll((boxes) => {
      const leastOf = (box: Element) => Math.min(box.getBoundingClientRect().width, box.getBoundingClientRect().height);
      const lines = boxes.flatMap((box) => box.closest('label') ?? []);
      return { box: Math.min(...boxes.map(leastOf)), line: Math.min(...lines.map(leastOf)) };
    });
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await page.locator('kbd:visible').count()).toBe(0);
  expect((await sizes()).box).toBeGreaterThanOrEqual(24);
  await page.goto(`${stage.url}/console/list`);
  await page.getByRole('checkbox').first().waitFor();
  expect((await sizes()).box).toBeGreaterThanOrEqual(24);
  await page.goto(`${stage.url}/console/for-you`);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await page.locator('kbd:visible').count()).toBe(0);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  await page.goto(`${stage.url}/console/notifications`);
  await page.getByRole('checkbox').first().waitFor();
  expect(await sizes()).toEqual({ box: 24, line: 44 });
});

test('labels, due date and estimate are changed in place', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Planned' });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByLabel('Labels').fill('Bug');
  await page.getByLabel('Labels').press('Enter');
  await page.getByRole('button', { name: 'Remove Bug' }).waitFor();
  // Digit by digit, each of which is a change.
  const saved: unknown[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && saved.push(request.postDataJSON()?.dueDate));
  await page.getByLabel('Due date').pressSequentially('03012026');
  await page.getByLabel('Estimate').fill('3');
  await page.getByLabel('Estimate').blur();
  await expect
    .poll(() => now(organization, item.id))
    .toMatchObject({
      labels: [{ name: 'Bug' }],
      dueDate: '2026-03-01',
      estimate: 3,
    });
  expect(saved.filter((dueDate) => dueDate !== undefined)).toEqual(['2026-03-01']);
  await page.getByRole('button', { name: 'Remove Bug' }).click();
  await page.getByLabel('Due date').fill('');
  await expect.poll(() => now(organization, item.id)).toMatchObject({ labels: [], dueDate: null, estimate: 3 });
  await visitor.isGood('item-planned');
});

test('moved out of the review by hand, it goes back with the reason', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Half done', boardColumnId: organization.columns.Review });
  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await choose(page, 'Column', 'To Do');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is wrong?').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByLabel('Column').inputValue()).toBe('Review');
  expect((await now(organization, item.id)).columnName).toBe('Review');
  await choose(page, 'Column', 'To Do');
  await dialog.getByLabel('What is wrong?').fill('The links are grey.');
  await page.keyboard.press('Control+Enter');
  await expect
    .poll(() => now(organization, item.id))
    .toMatchObject({
      columnName: 'To Do',
      rework: { from: 'move', summary: 'The links are grey.' },
    });
});

test('parent, dependencies and type are chosen by words, and z takes each back', async () => {
  const organization = await stage.newOrganization();
  const [one, two] = [
    await createItem(organization, { type: 'epic', title: 'Dark mode' }),
    await createItem(organization, { type: 'epic', title: 'Light mode' }),
  ];
  const base = await createItem(organization, { title: 'Name all colours' });
  const item = await createItem(organization, { title: 'Use the colours', parentId: one.id });
  const visitor = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const pick = async (label: string, words: string, name: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).fill(words);
    await page.getByRole('option', { name }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await pick('Depends on', 'name all', 'Name all colours');
  await page.getByRole('button', { name: `Remove ${base.taskId}` }).waitFor();
  await pick('Parent', 'light', 'Light mode');
  await page.getByRole('button', { name: `Remove ${two.taskId}` }).waitFor();
  await visitor.isGood('item-relations');
  await choose(page, 'Type', 'Feature');
  const chosen = { parentId: two.id, type: 'feature', metadata: { dependsOn: [base.taskId] } };
  await expect.poll(() => now(organization, item.id)).toMatchObject(chosen);

  // What is refused stays typed, and says why.
  await page.getByRole('combobox', { name: 'Depends on', exact: true }).fill('W-T-999');
  await page.keyboard.press('Enter');
  await page.getByText(`Not changed: ${item.taskId}.`).waitFor();
  expect(await page.getByRole('combobox', { name: 'Depends on', exact: true }).inputValue()).toBe('W-T-999');

  await page.getByRole('button', { name: `Remove ${base.taskId}` }).click();
  await page.getByRole('button', { name: `Remove ${base.taskId}` }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await now(organization, item.id)).metadata.dependsOn ?? []).toEqual([]);
  await page.getByRole('heading', { level: 1 }).click();
  for (let taken = 0; taken < 4; taken++) {
    const { version } = await now(organization, item.id);
    await page.keyboard.press('z');
    await expect.poll(async () => (await now(organization, item.id)).version).toBeGreaterThan(version);
  }
  const before = { parentId: one.id, type: 'task' };
  await expect.poll(() => now(organization, item.id)).toMatchObject(before);
  expect((await now(organization, item.id)).metadata.dependsOn ?? []).toEqual([]);
});

test('past a gate, owners and admins move a task anyway, and others are told why it stays', async () => {
  const organization = await stage.newOrganization();
  await organization.call('PATCH', `/api/projects/${organization.projectId}`, { gates: 'enforce' });
  const item = await createItem(organization, { title: 'Not reviewed' });
  const { key } = await organization.newUser();
  const other = await stage.visit(`items/${item.taskId}`, { apiKey: key });
  await choose(other.page, 'Column', 'Done');
  await other.page.getByText(`${item.taskId} is not reviewed yet`).waitFor();
  expect(await other.page.getByRole('button', { name: /anyway/ }).count()).toBe(0);
  expect((await now(organization, item.id)).columnName).toBe('Backlog');

  const { page } = await stage.visit(`items/${item.taskId}`, { apiKey: organization.apiKey });
  await choose(page, 'Column', 'Testing');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${item.taskId} is not reviewed yet`).waitFor();
  await dialog.getByRole('button', { name: 'Move anyway' }).click();
  await expect.poll(async () => (await now(organization, item.id)).columnName).toBe('Testing');

  await page.goto(`${stage.url}/console/board`);
  await page.getByRole('button', { name: `Move ${item.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'To Done' }).click();
  await dialog.getByText(`${item.taskId} leaves Testing by a verdict`).waitFor();
  await dialog.getByRole('button', { name: 'Move anyway' }).click();
  await expect.poll(async () => (await now(organization, item.id)).columnName).toBe('Done');
});
