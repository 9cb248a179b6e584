import type { Board } from '@worktrack/contracts/projects/board';
import type { Card } from '@worktrack/contracts/work-items/lists/cards';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { caller, type TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { drag } from './support/drag.ts';
import { narrow } from './support/narrow.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const columnOf = (page: Page, name: string) => page.locator(`.column[aria-label^="${name},"]`);
const cardOf = (page: Page, taskId: string) =>
  page.locator('.card').filter({ has: page.getByText(taskId, { exact: true }) });
const titlesIn = (page: Page, name: string) => columnOf(page, name).locator('.card-title').allTextContents();

const columnNow = async (organization: TestOrganization, id: string) =>
  (await organization.call<WorkItem>('GET', `/api/work-items/${id}`)).data.columnName;

test('shows every card with everything there is to know about it, and looks right in all its states', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByText('There is nothing on this board yet').waitFor();
  expect(page.url()).toContain('/console/board');
  await visitor.isGood('board-empty');

  const first = await createItem(organization, {
    title: 'Name all colours',
    priority: 'urgent',
    boardColumnId: 'To Do',
  });
  await createItem(organization, { title: 'Use the colours', dependsOn: [first.taskId], assignee: 'ada' });
  const claim = { ids: [first.taskId], agent: 'agent 7', leaseSeconds: 600 };
  const claimed = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  await organization.call('POST', `/api/work-items/${first.taskId}/progress`, {
    leaseToken: claimed.data.lease.token,
    state: 'awaiting_input',
    question: 'Which palette?',
    note: 'Half of them are named',
    progress: 0.5,
  });
  await page.reload();
  const card = cardOf(page, first.taskId);
  await card.getByText('Awaiting input').waitFor();
  const text = await card.textContent();
  for (const part of ['Name all colours', 'agent 7', '50%', 'Half of them are named']) expect(text).toContain(part);
  await card.getByRole('img', { name: 'Priority: Urgent' }).waitFor();
  const name = 'W-T-1, Name all colours, Task, Priority: Urgent, In Progress, Awaiting input';
  await page.getByRole('link', { name, exact: true }).waitFor();
  expect(text).toMatch(/\d+ (mins?|hrs?) left/);
  expect(await columnOf(page, 'Backlog').textContent()).toContain(`Blocked by ${first.taskId}`);
  await visitor.isGood('board');

  await narrow(page, 'Priority', 'Low');
  await page.getByText('No card matches the filters.').waitFor();
  await visitor.isGood('board-no-matches');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Search').fill('use colours');
  await expect.poll(() => page.url()).toContain('q=use+colours');
  await expect.poll(() => page.locator('.card').count()).toBe(1);
  const sent = await visitor.openTab(page.url().split('/console/')[1] as string);
  await cardOf(sent.page, 'W-T-2').waitFor();
  expect(await sent.page.locator('.card').count()).toBe(1);
});

test('a screen reader is told once that a card was moved', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Said once' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('link', { name: /, Said once,/ }).press('Alt+ArrowRight');
  const said = page.getByText(`${taskId} moved to To Do.`);
  await page.locator('.toast').filter({ has: said }).waitFor();
  expect(await said.count()).toBe(1);
});

test('the first board needs one request besides who is there and the stream of events', async () => {
  const visitor = await stage.visit(`board?project=${stage.organization.projectId}`);
  await visitor.page.locator('.column[aria-label^="Backlog,"]').waitFor();
  const asked = visitor.requests.filter(({ path }) => path.startsWith('/api/')).map(({ path }) => path);
  const meanwhile = ['/api/me', '/api/events/stream'];
  expect(asked.slice(0, 3).sort()).toEqual([...meanwhile, '/api/board-view'].sort());
  await visitor.page.route(/\/api\/(projects|boards\/)/, (route) => route.abort());
  await visitor.page.reload();
  await visitor.page.locator('.column[aria-label^="Backlog,"]').waitFor();
});

test('whoever follows a link to a board or a project that is gone is told, and led to those that there are', async () => {
  const { projectId, boardId, apiKey, call } = await stage.newOrganization();
  await call('POST', `/api/projects/${projectId}/boards`, { name: 'Sprint' });
  const never = '01990000-0000-7000-8000-000000000000';
  const visitor = await stage.visit(`board?project=${projectId}&board=${never}`, { apiKey });
  const { page } = visitor;
  const backlog = page.locator('.column[aria-label^="Backlog,"]');
  const gone = page.getByRole('alert');
  await gone.filter({ hasText: 'This board no longer exists' }).waitFor();
  expect(await backlog.count()).toBe(0);
  await visitor.isGood('board-gone');
  await page.getByRole('navigation', { name: 'Boards' }).getByRole('link').first().click();
  await backlog.waitFor();
  expect(page.url()).toContain(`board=${boardId}`);
  await page.goto(`${stage.url}/console/list?project=${projectId}&board=${never}`);
  await gone.filter({ hasText: 'This board no longer exists' }).waitFor();
  for (const screen of ['list', 'plan', 'costs', 'settings/project', 'board']) {
    await page.goto(`${stage.url}/console/${screen}?project=${never}`);
    await gone.filter({ hasText: 'This project no longer exists' }).waitFor();
  }
  expect(await backlog.count()).toBe(0);
  await page.getByRole('navigation', { name: 'Projects' }).getByRole('link').click();
  await backlog.waitFor();
  expect(page.url()).toContain(`project=${projectId}`);
  // Nor does the last project of this browser lead there, once one comes in by the door.
  await page.goto(`${stage.url}/console/board?project=${never}`);
  await gone.waitFor();
  await page.goto(`${stage.url}/console/`);
  await expect.poll(() => page.url()).toContain(`project=${projectId}`);
  expect(visitor.complaints).toEqual([]);
});

test('a card is moved with the mouse, the menu and the keyboard', async () => {
  const organization = await stage.newOrganization();
  const [one, two, three] = [
    await createItem(organization, { title: 'One' }),
    await createItem(organization, { title: 'Two' }),
    await createItem(organization, { title: 'Three' }),
  ];
  const { page, complaints } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.locator('.card[draggable=true]').first().waitFor();
  await cardOf(page, one.taskId).dragTo(columnOf(page, 'To Do').locator('.column-cards'));
  await expect.poll(() => titlesIn(page, 'To Do')).toEqual(['One']);
  await expect.poll(() => columnNow(organization, one.id)).toBe('To Do');

  // Above the card that is already there.
  await cardOf(page, two.taskId).dragTo(cardOf(page, one.taskId), { targetPosition: { x: 20, y: 5 } });
  await expect.poll(() => titlesIn(page, 'To Do')).toEqual(['Two', 'One']);

  await page.getByRole('button', { name: `Move ${three.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'To Review' }).click();
  await expect.poll(() => columnNow(organization, three.id)).toBe('Review');

  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await cardOf(page, two.taskId).locator('.card-title').focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused).toBe('One');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => titlesIn(page, 'To Do')).toEqual(['One', 'Two']);
  await page.keyboard.press('Alt+ArrowRight');
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(() => columnNow(organization, one.id)).toBe('Review');
  await expect.poll(focused).toBe('One');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(focused).toBe('Two');
  await page.reload();
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['One', 'Three']);

  // The focus stays in view, also where the board is wider than the window.
  await cardOf(page, one.taskId).locator('.card-title').focus();
  for (const column of ['Testing', 'Validating', 'To Document', 'Done']) {
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => titlesIn(page, column)).toEqual(['One']);
    await expect.poll(focused).toBe('One');
    const box = await cardOf(page, one.taskId).boundingBox();
    expect((box?.x ?? Infinity) + (box?.width ?? 0), column).toBeLessThanOrEqual(1440);
  }
  expect(complaints).toEqual([]);
});

test('a card that a search has found changes at once, though its column is still being read again', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Find me' });
  const { page } = await stage.visit('board?q=find', { apiKey: organization.apiKey });
  await cardOf(page, taskId).waitFor();
  const released = Promise.withResolvers<void>();
  await page.route(/\/cards\?.*search=/, async (route) => {
    await released.promise;
    await route.fallback();
  });
  for (const assignee of ['ada', 'grace']) {
    await organization.call('PATCH', `/api/work-items/${id}`, { assignee });
    await cardOf(page, taskId)
      .getByRole('img', { name: `Assigned to ${assignee}` })
      .waitFor();
  }
  await organization.call('PATCH', `/api/work-items/${id}`, { title: 'Lose me' });
  released.resolve();
  await page.getByText('No card matches the filters.').waitFor();
});

test('a move that somebody else beat is undone with a message, and shows where the card is now', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Contended' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await cardOf(page, item.taskId).waitFor();
  // The other move happens before this page hears of it.
  await page.route(
    '**/move',
    async (route) => {
      await organization.call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: 'Testing' });
      await route.continue();
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: `Move ${item.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'To Done' }).click();
  await page.getByText(`Somebody else changed ${item.taskId} in the meantime: it is in Testing now.`).waitFor();
  await expect.poll(() => titlesIn(page, 'Testing')).toEqual(['Contended']);
  expect(await titlesIn(page, 'Done')).toEqual([]);
  expect(await columnNow(organization, item.id)).toBe('Testing');

  await page.route(
    '**/move',
    (route) =>
      route.fulfill({ status: 403, json: { success: false, error: { code: 'PERMISSION_DENIED', message: 'No.' } } }),
    { times: 1 },
  );
  await page.getByRole('button', { name: `Move ${item.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'To Done' }).click();
  await page.getByText(`${item.taskId} is back where it was. No.`).waitFor();
  await expect.poll(() => titlesIn(page, 'Testing')).toEqual(['Contended']);
});

test('what an agent holds is taken away only on purpose; what was sent back says why, and so does what builds upon it', async () => {
  const organization = await stage.newOrganization();
  const base = await createItem(organization, { title: 'Base', boardColumnId: 'Review' });
  const held = await createItem(organization, { title: 'Held', dependsOn: [base.id] });
  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Agent' });
  const agent = caller(stage.system.baseUrl, data.key);
  await agent('POST', '/api/work-items/claim', { ids: [held.id], agent: 'agent 7' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: `Move ${held.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'To To Do', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`agent 7 is working on ${held.taskId}, so it stays where it was.`).waitFor();
  expect(await titlesIn(page, 'In Progress')).toEqual(['Held']);
  await page.keyboard.press('Escape');

  const back = { boardColumnId: 'In Progress', reason: 'The palette is wrong.' };
  await organization.call('POST', `/api/work-items/${base.id}/move`, back);
  await cardOf(page, base.taskId).getByText('Sent back: The palette is wrong.').waitFor();
  await cardOf(page, held.taskId).getByText(`Builds upon ${base.taskId}, which was sent back`).waitFor();

  // With the keyboard alone.
  await cardOf(page, held.taskId).getByRole('link').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await dialog.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Held');
  await expect.poll(() => columnNow(organization, held.id)).toBe('To Do');
  await expect.poll(() => titlesIn(page, 'To Do')).toEqual(['Held']);
});

test('a read-only user is offered no moves', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Fixed' });
  const reader = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'Reader',
    permissions: ['projects:read', 'work-items:read'],
  });
  const { page } = await stage.visit('board', { apiKey: reader.data.key });
  await page.getByText('Fixed').waitFor();
  expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0);
});

test('what cannot be loaded says so, and can be retried', async () => {
  const visitor = await stage.visit('sign-in-first');
  const { page } = visitor;
  const unreachable = /\/api\/(projects|board-view)(\?|$)/;
  await page.route(unreachable, (route) => route.abort());
  await page.goto(`${stage.url}/console/board`);
  await page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
  await visitor.isGood('board-failed');
  await page.unroute(unreachable);
  await page.getByRole('button', { name: 'Try again' }).click();
  await columnOf(page, 'Backlog').waitFor();
});

test('a card moved out of the review says why before it moves', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Half done', boardColumnId: organization.columns.Review });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByText('Half done').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is wrong?').waitFor();
  expect(await titlesIn(page, 'Review')).toEqual(['Half done']);
  await page.keyboard.type('The links are grey.');
  await page.keyboard.press('Control+Enter');
  await columnOf(page, 'In Progress').getByText('Sent back: The links are grey.').waitFor();

  // Of several, it is asked of those that go back.
  const done = await createItem(organization, { title: 'Done', boardColumnId: organization.columns.Review });
  await createItem(organization, { title: 'Not begun' });
  for (const title of ['Done', 'Not begun']) {
    await page.getByRole('link', { name: new RegExp(`, ${title},`) }).focus();
    await page.keyboard.press('x');
  }
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('menuitem', { name: 'To Do', exact: true }).click();
  await page.getByRole('dialog', { name: `Send ${done.taskId} back` }).waitFor();
});

test('cards are selected with keys, the mouse and the menu, and changed together, which z takes back', async () => {
  const organization = await stage.newOrganization();
  await organization.call('POST', `/api/projects/${organization.projectId}/labels`, {
    name: 'Later',
    colour: '#1f6feb',
  });
  const items: WorkItem[] = [];
  for (const title of ['One', 'Two', 'Three', 'Four']) items.push(await createItem(organization, { title }));
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  const of = (name: string) => page.getByRole('link', { name: new RegExp(`, ${name},`) });
  const now = async () => {
    const { data } = await organization.call<{ cards: Card[] }>('GET', `/api/projects/${organization.projectId}/cards`);
    const byId = new Map(data.cards.map((card) => [card.id, card]));
    return items.map(({ id }) => byId.get(id)).map((card) => [card?.columnName, card?.priority, card?.labels.length]);
  };
  const choose = async (menu: string, item: string) => {
    await bar.getByRole('button', { name: menu, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).first().click();
  };
  const bar = page.getByRole('region', { name: 'Selection' });

  await of('One').focus();
  await page.keyboard.press('x');
  await bar.getByText('1 selected').waitFor();
  await of('Three').click({ modifiers: ['Shift'] });
  await bar.getByText('3 selected').waitFor();
  await visitor.isGood('board-selection');

  await choose('Move', 'To Do');
  await page.getByText('3 work items moved to To Do.').waitFor();
  await choose('Priority', 'Urgent');
  const message = page.locator('.toast', { hasText: '3 work items changed.' });
  await message.getByRole('button', { name: 'Dismiss' }).click();
  await message.waitFor({ state: 'detached' });
  await choose('Labels', 'Later');
  // Until then z takes back the change before it.
  await message.waitFor();
  const changed = ['To Do', 'urgent', 1];
  const same = ['Backlog', 'medium', 0];
  await expect.poll(now).toEqual([changed, changed, changed, same]);
  await page.keyboard.press('z');
  await expect.poll(now).toEqual([...Array(3).fill(['To Do', 'urgent', 0]), same]);
  await page.keyboard.press('z');
  await expect.poll(now).toEqual([...Array(3).fill(['To Do', 'medium', 0]), same]);
  await page.keyboard.press('z');
  await expect.poll(now).toEqual(Array(4).fill(same));

  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Move ${items[3]?.taskId}` }).click();
  await page.getByRole('menuitem', { name: 'Select' }).click();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await of('Four').waitFor({ state: 'detached' });
  expect((await now())[3]).toEqual([undefined, undefined, undefined]);
  expect(visitor.complaints).toEqual([]);
});

test('what is selected stays so when the columns of the board change', async () => {
  const organization = await stage.newOrganization();
  const { call, boardId } = organization;
  for (const title of ['One', 'Two']) await createItem(organization, { title });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  for (const title of ['One', 'Two']) {
    await page.getByRole('link', { name: new RegExp(`, ${title},`) }).focus();
    await page.keyboard.press('x');
  }
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText('2 selected').waitFor();
  const { columns } = (await call<Board>('GET', `/api/boards/${boardId}`)).data;
  const renamed = columns.map(({ id, name }) => ({ id, name: name === 'To Do' ? 'Next' : name }));
  await call('PATCH', `/api/boards/${boardId}`, { columns: renamed });
  await page.getByRole('heading', { name: 'Next' }).waitFor();
  await bar.getByText('2 selected').waitFor({ timeout: 1_000 });
  await bar.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Next' }).click();
  await page.getByText('2 work items moved to Next.').waitFor();
});

test('a board stays where it is while a card is dragged that somebody else moves to a column beside the window', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Dragged' });
  // A column without cards is narrower.
  for (const boardColumnId of ['Backlog', 'To Do']) await createItem(organization, { title: 'Other', boardColumnId });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey, viewport: { width: 800, height: 700 } });
  await page.locator('.card[draggable=true]').nth(2).waitFor();
  const middleOf = async (part: Locator) => {
    const box = await part.boundingBox();
    if (!box) throw new Error('It is not shown.');
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  await page.mouse.move(...(await middleOf(cardOf(page, taskId))));
  await page.mouse.down();
  const [x, y] = await middleOf(columnOf(page, 'To Do').locator('.column-cards'));
  await page.mouse.move(x, y, { steps: 4 });
  await page.locator('.column-over').waitFor();
  await organization.call('POST', `/api/work-items/${taskId}/move`, { boardColumnId: 'Done' });
  await columnOf(page, 'Done').locator('.card').waitFor({ state: 'attached' });
  await page.mouse.move(x + 1, y);
  expect(await page.locator('.column', { has: page.locator('.column-over') }).getAttribute('aria-label')).toMatch(
    /^To Do,/,
  );
  await page.mouse.up();
  await expect.poll(() => columnNow(organization, id)).toBe('To Do');
});

test('while a card is dragged, columns stay where they are; dropped where it is not shown any more it is moved, and one that was deleted is said to be gone', async () => {
  const organization = await stage.newOrganization();
  const only = await createItem(organization, { title: 'The only one', boardColumnId: 'To Do' });
  const [hidden, doomed] = [
    await createItem(organization, { title: 'Hidden', priority: 'urgent' }),
    await createItem(organization, { title: 'Doomed', priority: 'urgent' }),
  ];
  await createItem(organization, { title: 'Stays', priority: 'urgent' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.locator('.card[draggable=true]').nth(3).waitFor();
  const boxOf = async (part: Locator) => {
    const box = await part.boundingBox();
    if (!box) throw new Error('It is not shown.');
    return box;
  };
  const middleOf = async (part: Locator) => {
    const { x, y, width, height } = await boxOf(part);
    return [x + width / 2, y + height / 2] as const;
  };
  const take = async ({ taskId }: WorkItem, to: string) => {
    await page.mouse.move(...(await middleOf(cardOf(page, taskId))));
    await page.mouse.down();
    const [x, y] = await middleOf(columnOf(page, to));
    await page.mouse.move(x, y, { steps: 4 });
    await page.locator('.column-over').waitFor();
  };

  await take(doomed, 'Review');
  const before = await boxOf(columnOf(page, 'Review'));
  await organization.call('DELETE', `/api/work-items/${only.id}`);
  await cardOf(page, only.taskId).waitFor({ state: 'detached' });
  expect(await boxOf(columnOf(page, 'Review'))).toEqual(before);
  await organization.call('DELETE', `/api/work-items/${doomed.id}`);
  await cardOf(page, doomed.taskId).waitFor({ state: 'detached' });
  await page.mouse.up();
  await page.locator('.toast', { hasText: `Not moved: ${doomed.taskId}.` }).waitFor();
  await page.locator('.column-empty[aria-label^="To Do,"]').waitFor();

  await narrow(page, 'Priority', 'Urgent');
  await take(hidden, 'Review');
  await organization.call('PATCH', `/api/work-items/${hidden.id}`, { priority: 'low' });
  await cardOf(page, hidden.taskId).waitFor({ state: 'detached' });
  await page.mouse.up();
  await page.locator('.toast', { hasText: `${hidden.taskId} moved to Review.` }).waitFor();
  expect(await columnNow(organization, hidden.id)).toBe('Review');
});

test('a drag from where no card is selects the cards that it touches, with Shift besides those selected; a card is still dragged', async () => {
  const organization = await stage.newOrganization();
  for (const title of ['One', 'Two', 'Three']) await createItem(organization, { title });
  const apart = await createItem(organization, { title: 'Apart', boardColumnId: 'To Do' });
  const { page, complaints } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.locator('.card[draggable=true]').nth(3).waitFor();
  const boxOf = async (title: string) => {
    const box = await page.locator('.card').filter({ hasText: title }).boundingBox();
    if (!box) throw new Error(`${title} is not shown.`);
    return { ...box, right: box.x + box.width, bottom: box.y + box.height };
  };
  const chosen = () => page.locator('.card-selected .card-title').allTextContents();
  const [one, two, three, other] = [await boxOf('One'), await boxOf('Two'), await boxOf('Three'), await boxOf('Apart')];

  // From below the last card up to the second.
  const lowest = [one, two, three].toSorted((a, b) => a.y - b.y);
  const [, middle, last] = lowest as [typeof one, typeof one, typeof one];
  const titles = await titlesIn(page, 'Backlog');
  await drag(page, [last.x + 20, last.bottom + 60], [last.x + 60, middle.bottom - 10]);
  await expect.poll(chosen).toEqual(titles.slice(1));
  expect(await page.locator('.band').count()).toBe(0);
  await page.keyboard.down('Shift');
  await drag(page, [other.x + 20, other.bottom + 60], [other.x + 60, other.bottom - 10]);
  await page.keyboard.up('Shift');
  await expect.poll(chosen).toEqual([...titles.slice(1), 'Apart']);
  await drag(page, [other.x + 20, other.bottom + 60], [other.x + 60, other.bottom - 10]);
  await expect.poll(chosen).toEqual(['Apart']);

  await cardOf(page, apart.taskId).dragTo(columnOf(page, 'Review').locator('.column-cards'));
  await expect.poll(() => columnNow(organization, apart.id)).toBe('Review');
  expect(complaints).toEqual([]);
});
