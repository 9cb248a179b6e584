import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { handleOf } from '@worktrack/contracts/people/mentions';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose as chooseFrom } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const needs = async ({ call }: TestOrganization) =>
  (await call<{ items: ForYouItem[] }>('GET', '/api/for-you?limit=100')).data.items;

test('comes first, says how much there is, and twenty are judged with twenty keys, the last one taken back', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByText('Nothing needs you.').waitFor();
  expect(page.url()).toContain('/console/for-you');
  const titles = Array.from({ length: 20 }, (_, at) => `Task ${at + 1}`);
  for (const title of titles) await createItem(organization, { title, boardColumnId: 'Review' });
  await page.getByRole('region', { name: 'To review' }).getByText('Task 20').waitFor();
  await expect.poll(() => page.title()).toBe('(20) For you · worktrack');
  await page.getByRole('link', { name: 'For you 20' }).waitFor();
  await visitor.isGood('for-you');

  for (const title of titles) {
    await page.locator('.for-you-entry[aria-current="true"]', { hasText: title }).waitFor();
    await page.keyboard.press('a');
  }
  await expect
    .poll(async () => (await needs(organization)).map(({ kind }) => kind))
    .toEqual(Array(20).fill('validation'));
  await page.keyboard.press('z');
  await expect
    .poll(async () => (await needs(organization)).filter(({ kind }) => kind === 'review'))
    .toMatchObject([{ workItem: { title: 'Task 20' } }]);
  await page.getByRole('link', { name: /Task 7/ }).focus();
  await page.keyboard.press('i');
  await expect.poll(async () => (await needs(organization)).at(-1)).toMatchObject({ kind: 'assigned' });
  await page.keyboard.press('z');
  await expect.poll(async () => (await needs(organization)).at(-1)).toMatchObject({ kind: 'validation' });
});

test('what another reviewer has just sent back is not approved', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  // The news of it come too late.
  await page.route('**/api/events/stream**', (route) => route.abort());
  await page.goto(`${new URL(page.url()).origin}/console/for-you`);
  await page.locator('.for-you-entry[aria-current="true"]').waitFor();
  await organization.call('POST', `/api/work-items/${item.id}/review`, { result: 'fail', summary: 'Not yet' });
  await page.keyboard.press('a');
  await page.getByText('Somebody else has changed it in the meantime').waitFor();
  const { data } = await organization.call<WorkItem>('GET', `/api/work-items/${item.id}`);
  expect(data).toMatchObject({ columnName: 'In Progress', rework: { summary: 'Not yet' } });
});

test('a key judges nothing that took the place of what somebody else dealt with', async () => {
  const organization = await stage.newOrganization();
  const read = await createItem(organization, { title: 'Read', boardColumnId: 'Review' });
  await createItem(organization, { title: 'Unread', boardColumnId: 'Review' });
  const third = await createItem(organization, { title: 'Third', boardColumnId: 'Review' });
  const sendBack = ({ id }: { readonly id: string }) =>
    organization.call('POST', `/api/work-items/${id}/review`, { result: 'fail', summary: 'Not yet' });
  const judged = async () => (await needs(organization)).map(({ kind, workItem }) => `${kind} ${workItem?.title}`);
  const visitor = await stage.visit('for-you', { apiKey: organization.apiKey });
  const { page } = visitor;
  const chosen = page.locator('.for-you-entry[aria-current="true"]');
  await chosen.getByRole('button', { name: 'Approve' }).focus();
  await sendBack(read);
  await chosen.getByText('This does not need you any more.').waitFor();
  await chosen.getByText('Read').waitFor();
  expect(await chosen.getByRole('button').count()).toBe(0);
  await visitor.isGood('for-you-gone');
  await page.keyboard.press('a');
  await page.locator('.toasts').getByText('This does not need you any more.').waitFor();
  expect(await judged()).toEqual(['review Unread', 'review Third', 'returned Read']);

  // What one goes on to does not move away below the mouse.
  await page.locator('.for-you-entry', { hasText: 'Unread' }).getByRole('button', { name: 'Approve' }).click();
  await expect.poll(judged).toEqual(['review Third', 'validation Unread', 'returned Read']);
  await chosen.getByText('Third').waitFor();
  await sendBack(third);
  await chosen.getByText('This does not need you any more.').waitFor();
  await page.keyboard.press('j');
  await chosen.getByText('Unread').waitFor();
  expect(await page.locator('.for-you').getByText('This does not need you any more.').count()).toBe(0);
  await page.keyboard.press('a');
  await expect.poll(judged).toEqual(['returned Read', 'returned Third']);
});

test('j leads on where the first page ends, which is not asked for again while the key is held', async () => {
  const organization = await stage.newOrganization();
  const { projectId, boardId, columns, call } = organization;
  const items = Array.from({ length: 51 }, (_, at) => ({ type: 'task', title: `Task ${at}` }));
  await call('POST', '/api/work-items/batch', { projectId, boardId, boardColumnId: columns.Review, items });
  const { page } = await stage.visit('for-you', { apiKey: organization.apiKey });
  const entries = page.locator('.for-you-entry');
  await expect.poll(() => entries.count()).toBe(50);
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(/for-you\?.*cursor=/, async (route) => {
    asked++;
    await held.promise;
    await route.continue();
  });
  for (let at = 0; at < 40; at++) await page.keyboard.press('j');
  await expect.poll(() => asked).toBe(1);
  for (let at = 40; at < 55; at++) await page.keyboard.press('j');
  await expect.poll(() => entries.last().getAttribute('aria-current')).toBe('true');
  held.resolve();
  await expect.poll(() => entries.count()).toBe(51);
  expect(asked).toBe(1);
  await page.keyboard.press('j');
  await expect.poll(() => entries.last().getAttribute('aria-current')).toBe('true');
});

test('what others push beyond the last page that was read is not said to be dealt with', async () => {
  const organization = await stage.newOrganization();
  const { projectId, boardId, columns, call } = organization;
  const items = Array.from({ length: 51 }, (_, at) => ({ type: 'task', title: `Task ${at}` }));
  await call('POST', '/api/work-items/batch', { projectId, boardId, boardColumnId: columns.Testing, items });
  const { page } = await stage.visit('for-you', { apiKey: organization.apiKey });
  const entries = page.locator('.for-you-entry');
  await expect.poll(() => entries.count()).toBe(50);
  const last = (await entries.last().getByRole('link').textContent()) ?? '';
  await entries.last().click({ position: { x: 2, y: 2 } });
  const chosen = page.locator('.for-you-entry[aria-current="true"]', { hasText: last });
  await chosen.waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/for-you\?.*cursor=/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await createItem(organization, { title: 'Comes first', boardColumnId: columns.Review });
  await entries.getByText('Comes first').waitFor();
  await chosen.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await page.getByText('This does not need you any more.').count()).toBe(0);
  held.resolve();
  await expect.poll(() => entries.count()).toBe(52);
  await page.keyboard.press('a');
  await expect.poll(async () => (await needs(organization)).map(({ workItem }) => workItem?.taskId)).toHaveLength(51);
  expect((await needs(organization)).some(({ workItem }) => last.startsWith(`${workItem?.taskId} `))).toBe(false);
});

test('what is sent back comes back with its reason, and a question is answered in place', async () => {
  const organization = await stage.newOrganization();
  const { call } = organization;
  const judged = await createItem(organization, { title: 'The colours', boardColumnId: 'Review' });
  const asked = await createItem(organization, { title: 'The fonts', boardColumnId: 'To Do' });
  const claim = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
    ids: [asked.id],
    agent: 'one',
  });
  const beat = { leaseToken: claim.data.lease.token, state: 'awaiting_input', question: 'Which fonts?' };
  await call('POST', `/api/work-items/${asked.id}/progress`, beat);
  const visitor = await stage.visit('for-you', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByText('Which fonts?').waitFor();
  await page.getByRole('textbox', { name: 'Answer' }).fill('The usual ones');
  await page.keyboard.press('Enter');
  await page.getByText('one gets the answer').waitFor();
  // For whoever else would answer something else, until the agent has heard it.
  await page.getByText(/^Answered .*: The usual ones$/).waitFor();
  await page.getByRole('link', { name: /The colours/ }).focus();
  await page.keyboard.press('x');
  await page.getByRole('textbox', { name: 'What is wrong?' }).fill('Too dark');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Sent back: Too dark').waitFor();
  const { data } = await call<WorkItem>('GET', `/api/work-items/${judged.id}`);
  expect(data).toMatchObject({ columnName: 'In Progress', rework: { summary: 'Too dark' } });
  await visitor.isGood('for-you-returned');

  // Whoever has taken it up since keeps it.
  const taken = { ids: [judged.id], agent: 'two' };
  expect((await call('POST', '/api/work-items/claim', taken)).status).toBe(200);
  await page.keyboard.press('z');
  await page.getByText(`Somebody else has changed ${judged.taskId} in the meantime`).waitFor();
  const { data: kept } = await call<WorkItem>('GET', `/api/work-items/${judged.id}`);
  expect(kept).toMatchObject({ columnName: 'In Progress', assignee: 'two', lease: { agent: 'two' } });
});

test('what is spent is told as the visitor writes amounts, and an answer that is begun stays until it is sent', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const asked = await createItem(organization, { title: 'The fonts', boardColumnId: 'To Do' });
  const claim = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
    ids: [asked.id],
    agent: 'one',
  });
  const beat = { leaseToken: claim.data.lease.token, state: 'awaiting_input', question: 'Which fonts?' };
  await call('POST', `/api/work-items/${asked.id}/progress`, beat);
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 2.5 });
  const used = { model: 'gpt-5', provider: 'openai', totalTokens: 2_000_000 };
  await call('POST', `/api/work-items/${asked.id}/ai-sessions`, used);
  const { page } = await stage.visit('for-you', { apiKey: organization.apiKey, locale: 'de-DE' });
  // With the space that does not break.
  const budget = page.getByRole('region', { name: 'Budgets' });
  await budget.getByText('6,88\u00a0$ von 2,50\u00a0$').waitFor();
  // Of which of all projects, and what follows.
  await budget.getByRole('link', { name: 'Budget des Projekts Work' }).waitFor();
  await budget.getByText('Ist es ausgegeben, kann keine Aufgabe darunter mehr übernommen werden.').waitFor();
  const answer = page.getByRole('textbox', { name: 'Antwort' });
  await answer.fill('The usual');
  await page.reload();
  await answer.waitFor();
  expect(await answer.inputValue()).toBe('The usual');
  await answer.press('Enter');
  await page.getByText('one bekommt die Antwort').waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('The usual');
});

test('what mentions one is there until it is marked as read, and an item is watched from its menu', async () => {
  const organization = await stage.newOrganization();
  const { call } = organization;
  const { data: me } = await call<Identity>('GET', '/api/me');
  const task = await createItem(organization, { title: 'The colours', boardColumnId: 'To Do' });
  const claim = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
    ids: [task.id],
    agent: 'one',
  });
  const visitor = await stage.visit('for-you', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByText('Nothing needs you.').waitFor();
  const text = `Dark enough, @${handleOf(me.user.name)}?`;
  await call('POST', `/api/work-items/${task.id}/comments`, { text, leaseToken: claim.data.lease.token });
  await page.getByRole('region', { name: 'Mentions' }).getByText(`one: ${text}`).waitFor();
  await visitor.isGood('for-you-mentioned');
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByText('Nothing needs you.').waitFor();

  await page.goto(`${page.url().replace(/for-you.*/, '')}items/${task.taskId}`);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${task.taskId}` }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Watch');
  await page.getByText(`You are told what happens to ${task.taskId}.`).waitFor();
  expect((await call('GET', `/api/work-items/${task.id}/watch`)).data).toMatchObject({ watching: true });
  await call('POST', `/api/work-items/${task.id}/comments`, { text: 'Darker', leaseToken: claim.data.lease.token });
  await page.goto(`${page.url().replace(/items.*/, '')}for-you`);
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('one: Darker').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'For you' }).click();
  await page.getByRole('heading', { name: 'For you' }).waitFor();
  await page.goBack();
  await page.getByRole('checkbox', { name: 'Comments on watched items' }).uncheck();
  await chooseFrom(page, 'By mail', 'Hourly');
  await page.getByRole('checkbox', { name: 'Quiet hours' }).check();
  await page.getByLabel('Until').fill('06:30');
  await page.getByLabel('Webhook URL').fill('https://hooks.example.com/x');
  await page.getByRole('button', { name: 'Save' }).click();
  await visitor.isGood('notifications');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('Unread').waitFor({ state: 'detached' });
  const { data: settings } = await call<object>('GET', '/api/me/notifications');
  expect(settings).toMatchObject({
    ...{ kinds: { comment: false, move: true }, mail: 'hourly', quietHours: { from: '22:00', to: '06:30' } },
    webhook: { url: 'https://hooks.example.com/x', format: 'slack' },
  });
  await call('POST', `/api/work-items/${task.id}/comments`, { text, leaseToken: claim.data.lease.token });
  await page.getByText('Unread').waitFor();
  await page
    .getByRole('link', { name: /The colours/ })
    .first()
    .click();
  // Whoever opens an item has seen what was told of it.
  const unread = async () => (await call<{ unread: number }>('GET', '/api/notifications')).data.unread;
  await expect.poll(unread).toBe(0);
  await choose('Stop watching');
  await page.getByText(`You are no longer told about ${task.taskId}.`).waitFor();
});

test('an invitation that nobody has used is there for whoever manages users, who sends another or withdraws it in place', async () => {
  const organization = await stage.newOrganization();
  const { call } = organization;
  const grace = { name: 'Grace', email: 'grace@example.com', role: 'member' };
  const { data: user } = await call<{ id: string }>('POST', '/api/users', grace);
  const invite = async () => (await call<{ code: string }>('POST', `/api/users/${user.id}/invitation`)).data.code;
  const first = await invite();
  const visitor = await stage.visit('for-you', { apiKey: organization.apiKey });
  const { page } = visitor;
  const entry = page.getByRole('region', { name: 'Invitations' }).getByRole('listitem');
  await entry.getByText('grace@example.com').waitFor();
  await entry.getByText(/^Invited by .+, until /).waitFor();
  await expect.poll(() => page.title()).toBe('(1) For you · worktrack');
  await visitor.isGood('for-you-invitation');

  await page.getByRole('button', { name: 'Send again' }).press('Enter');
  const shown = page.getByRole('dialog', { name: 'Invite Grace' }).locator('pre');
  await shown.waitFor();
  const second = new URL((await shown.textContent()) ?? '').hash;
  await page.getByRole('button', { name: 'Done' }).click();
  const late = await stage.visit(`#code=${first}`, { apiKey: null });
  await late.page.getByRole('alert').filter({ hasText: 'There is a newer invitation.' }).waitFor();
  await late.isGood('sign-in-invitation-replaced');

  await page.getByRole('button', { name: 'Withdraw' }).press('Enter');
  await page.getByText('The invitation of Grace is withdrawn.').waitFor();
  await page.getByText('Nothing needs you.').waitFor();
  const later = await stage.visit(second, { apiKey: null });
  await later.page.getByRole('alert').filter({ hasText: 'This invitation was withdrawn.' }).waitFor();

  // Whoever signs in is on nobody's list any more.
  const third = await invite();
  await entry.getByText('grace@example.com').waitFor();
  const invited = await stage.visit(`#code=${third}`, { apiKey: null });
  await invited.page.getByRole('button', { name: 'Account of Grace' }).waitFor();
  await page.getByText('Nothing needs you.').waitFor();
});

test('on a phone, a title without a space begins beside its icons', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'W'.repeat(120), boardColumnId: 'Review' });
  const { page } = await stage.visit('for-you', {
    apiKey: organization.apiKey,
    viewport: { width: 390, height: 844 },
  });
  const entry = page.locator('.for-you-entry');
  const [icon, link] = await Promise.all(
    [entry.locator('.item-icon').first(), entry.getByRole('link')].map((part) => part.boundingBox()),
  );
  if (!icon || !link) throw new Error('They are not shown.');
  expect(link.x).toBeGreaterThan(icon.x + icon.width);
  expect(link.y).toBeLessThanOrEqual(icon.y + icon.height / 2);
});
