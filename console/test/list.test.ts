import type { View } from '@worktrack/contracts/work-items/lists/view';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { drag } from './support/drag.ts';
import { narrow } from './support/narrow.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const titles = (page: Page) => page.locator('.list-cell-title > a').allTextContents();
const cell = (page: Page, title: string, name: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) })
    .locator(`[data-cell=${name}]`);
/** What is said next can be told from what was said before. */
const dismiss = (page: Page) => page.getByRole('button', { name: 'Dismiss' }).click();
const createMany = (organization: TestOrganization, items: readonly object[]) =>
  organization.call('POST', '/api/work-items/batch', {
    projectId: organization.projectId,
    boardId: organization.boardId,
    boardColumnId: organization.columns.Backlog,
    items: items.map((item) => ({ type: 'task', ...item })),
  });

test('overdue=false in the address lists what is not overdue, and is a chip', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Late', dueDate: '2020-01-31' });
  await createItem(organization, { title: 'Whenever' });
  const { page } = await stage.visit('list?overdue=false', { apiKey: organization.apiKey });
  await expect.poll(() => titles(page)).toEqual(['Whenever']);
  await page.getByRole('button', { name: 'Not overdue', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Overdue', exact: true }).check();
  await expect.poll(() => titles(page)).toEqual(['Late']);

  await createItem(organization, { title: 'Soon', dueDate: '2099-12-31' });
  await page.goto(`${stage.url}/console/list`);
  const overdue = page.locator('.list-overdue');
  await expect.poll(() => titles(page)).toEqual(['Soon', 'Whenever', 'Late']);
  expect(await overdue.count()).toBe(1);
  // Not by its colour alone.
  await page
    .getByRole('gridcell', { name: 'Due date: 31 Jan 2020 (Overdue)' })
    .and(page.locator(':has(svg)'))
    .waitFor();
  // The day passes while the list is open.
  await page.clock.setSystemTime('2100-01-01T00:00:00Z');
  await expect.poll(() => overdue.count()).toBe(2);
});

test('a list of what is overdue is read again when the day has passed', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Late', dueDate: '2020-01-31' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  // Not so long before that the stream of events would seem to have been silent.
  const shortlyBefore = new Date('2099-12-31T23:59:35Z');
  await page.clock.setSystemTime(shortlyBefore);
  // The day is the service's.
  const { success, data } = await organization.call('GET', '/api/me');
  const headers = { date: shortlyBefore.toUTCString() };
  await page.route('**/api/me', (route) => route.fulfill({ json: { success, data }, headers }));
  await page.goto(`${stage.url}/console/list?overdue=true`);
  await expect.poll(() => titles(page)).toEqual(['Late']);
  const again = page.waitForRequest((request) => request.url().includes('overdue=true&'));
  await page.clock.setSystemTime('2100-01-01T00:00:00Z');
  await again;
});

test('a list is sorted by its headings, narrowed by chips and divided into groups, all of it in its address, and looks right', async () => {
  const organization = await stage.newOrganization();
  await organization.call('POST', `/api/projects/${organization.projectId}/labels`, {
    name: 'Later',
    colour: '#1f6feb',
  });
  await createItem(organization, { title: 'Apples', priority: 'low', assignee: 'ada', labels: ['Later'], estimate: 3 });
  await createItem(organization, { title: 'Cherries', priority: 'urgent', dueDate: '2020-01-31' });
  await createItem(organization, { title: 'Bananas', boardColumnId: 'To Do', assignee: 'ada' });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('navigation', { name: 'Layout' }).getByRole('link', { name: 'List' }).click();
  await expect.poll(() => titles(page)).toEqual(['Bananas', 'Cherries', 'Apples']);
  await visitor.isGood('list');

  await page.getByRole('button', { name: 'Title' }).click();
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Bananas', 'Cherries']);
  await page.getByRole('button', { name: 'Priority' }).click();
  await expect.poll(() => titles(page)).toEqual(['Cherries', 'Bananas', 'Apples']);
  await page.getByRole('button', { name: 'Priority' }).click();
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Bananas', 'Cherries']);
  await page.getByRole('columnheader', { name: 'Priority' }).and(page.locator('[aria-sort=descending]')).waitFor();

  await narrow(page, 'Assignee', 'ada');
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Bananas']);
  await page.getByRole('button', { name: 'Assignee: ada', exact: true }).click();
  await page.getByRole('button', { name: 'is none of' }).click();
  await expect.poll(() => titles(page)).toEqual(['Cherries']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove Assignee: not ada' }).click();
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Bananas', 'Cherries']);

  // A day that is written digit by digit is asked for once.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('dueBefore') ?? ''));
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Due date', exact: true }).click();
  await page.getByLabel('Due before').pressSequentially('03012026');
  await expect.poll(() => titles(page)).toEqual(['Cherries']);
  expect(asked.filter((day) => day !== '')).toEqual(['2026-03-01']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Remove Due/ }).click();
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Bananas', 'Cherries']);

  await page.getByRole('button', { name: 'Display' }).click();
  await choose(page.getByRole('dialog'), 'Group by', 'Column');
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Labels' }).uncheck();
  await visitor.isGood('list-display');
  await page.keyboard.press('Escape');
  const groups = () => page.locator('.list-group').allTextContents();
  await expect.poll(groups).toEqual(['Backlog2 items', 'To Do1 item']);
  await expect.poll(() => titles(page)).toEqual(['Apples', 'Cherries', 'Bananas']);
  await page.getByRole('button', { name: /^Backlog/ }).click();
  await expect.poll(() => titles(page)).toEqual(['Bananas']);
  await visitor.isGood('list-groups');

  const { page: sent } = await visitor.openTab(page.url().split('/console/')[1] as string);
  await expect.poll(() => titles(sent)).toEqual(['Apples', 'Cherries', 'Bananas']);
  // The columns are remembered in this browser, too.
  const { page: plain } = await visitor.openTab('list');
  await expect.poll(() => titles(plain)).toEqual(['Bananas', 'Cherries', 'Apples']);
  expect(await plain.getByRole('columnheader').allTextContents()).not.toContain('Labels');
});

test('a label with a long name is cut off, in the list and beside its item', async () => {
  const organization = await stage.newOrganization();
  const name = 'Accessibility and contrasts of all screens, ever';
  await organization.call('POST', `/api/projects/${organization.projectId}/labels`, { name, colour: '#1f6feb' });
  const { taskId } = await createItem(organization, { title: 'Labelled', labels: [name] });
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  const isWithin = (selector: string) =>
    page.locator('.tag-label').evaluate((label, outer) => {
      const [inner, around] = [label, label.closest(outer)].map((each) => each?.getBoundingClientRect());
      return inner && around && inner.right <= around.right;
    }, selector);
  expect(await isWithin('.list-cell')).toBe(true);
  await page.goto(`${stage.url}/console/items/${taskId}`);
  expect(await isWithin('.item-fields')).toBe(true);
});

test('a title that is too long is cut off, and what follows stays below its heading', async () => {
  const organization = await stage.newOrganization();
  const titles = ['Short', 'Long '.repeat(60).trim()];
  await createMany(
    organization,
    titles.map((title) => ({ title, dueDate: '2030-01-31' })),
  );
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  const leftOf = async (found: Locator) => (await found.boundingBox())?.x;
  const heading = await leftOf(page.getByRole('columnheader', { name: 'Due date' }));
  for (const title of titles) expect(await leftOf(cell(page, title, 'dueDate'))).toBe(heading);
});

test('a long list is read page by page as one goes down, of which only what is in view is drawn', async () => {
  const organization = await stage.newOrganization();
  for (const hundred of [0, 1, 2]) {
    await createMany(
      organization,
      Array.from({ length: 100 }, (_, at) => ({ title: `Item ${hundred * 100 + at}` })),
    );
  }
  const { page, complaints } = await stage.visit('list', { apiKey: organization.apiKey });
  const sizes: number[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('cursor=')) return;
    const { data } = (await response.json()) as { data: { cards?: unknown[] } };
    if (data.cards) sizes.push(data.cards.length);
  });
  await page.getByRole('link', { name: 'Item 299', exact: true }).focus();
  // The next page is read meanwhile.
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return page.evaluate(() => document.activeElement?.textContent);
    })
    .toBe('Item 0');
  expect(sizes).toEqual([100, 100]);
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Item 1');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Item 1', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('what somebody else deletes is no longer counted as selected', async () => {
  const organization = await stage.newOrganization();
  const [first] = [
    await createItem(organization, { title: 'One' }),
    await createItem(organization, { title: 'Two' }),
    await createItem(organization, { title: 'Three' }),
  ];
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  await page.getByRole('checkbox', { name: `Select ${first.taskId}` }).click();
  await page
    .getByRole('checkbox')
    .first()
    .click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText('3 selected').waitFor();
  await organization.call('DELETE', `/api/work-items/${first.id}`);
  await bar.getByText('2 selected').waitFor();
});

/** More than one call moves, or reads. */
async function selectMany(organization: TestOrganization) {
  const all = Array.from({ length: 501 }, (_, at) => ({ title: `Item ${at}` }));
  for (let at = 0; at < all.length; at += 100) await createMany(organization, all.slice(at, at + 100));
  const { page, complaints } = await stage.visit('list?q=item', { apiKey: organization.apiKey });
  const grid = page.getByRole('grid');
  const [first, last] = ['W-T-501', 'W-T-1'].map((taskId) =>
    page.getByRole('checkbox', { name: `Select ${taskId}`, exact: true }),
  ) as [Locator, Locator];
  await first.click();
  await expect
    .poll(async () => {
      await grid.evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
      return last.count();
    })
    .toBe(1);
  await last.click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText('501 selected').waitFor();
  return { page, complaints, grid, last, bar };
}

const countIn = async ({ call, columns }: TestOrganization, column: string) => {
  const list = `/api/work-items?boardColumnId=${columns[column]}&limit=1`;
  return (await call<{ pagination: { total: number } }>('GET', list)).data.pagination.total;
};

test('what is selected of a long list that is searched stays so while others work, and is moved and moved back as one', async () => {
  const organization = await stage.newOrganization();
  const { page, complaints, grid, last, bar } = await selectMany(organization);

  await createItem(organization, { title: 'Item 501' });
  // With its head.
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('503');
  expect(await last.count()).toBe(1);
  await bar.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('menuitem', { name: 'To Do', exact: true }).click();
  await page.locator('.toast', { hasText: '501 work items' }).waitFor();
  expect(await countIn(organization, 'To Do')).toBe(501);
  await page.keyboard.press('z');
  await expect.poll(() => countIn(organization, 'To Do')).toBe(0);
  expect(complaints).toEqual([]);
});

test('of many that are moved, those that could not be are told apart from the others, which go back but for what somebody else has moved on', async () => {
  const organization = await stage.newOrganization();
  const { page, bar } = await selectMany(organization);
  const moves = '**/batch-move';
  let sent = 0;
  await page.route(moves, (route) => {
    sent++;
    if (sent === 1) return route.fallback();
    const error = { code: 'INTERNAL', message: 'It broke.' };
    return route.fulfill({ status: 500, json: { success: false, error } });
  });
  await bar.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('menuitem', { name: 'To Do', exact: true }).click();
  await page.locator('.toast', { hasText: 'Not moved: W-T-1.' }).waitFor();
  await page.locator('.toast', { hasText: '500 work items moved to To Do.' }).waitFor();
  expect(await countIn(organization, 'To Do')).toBe(500);
  await page.unroute(moves);

  const { call, columns } = organization;
  await call('POST', '/api/work-items/batch-move', { workItemIds: ['W-T-7'], boardColumnId: columns.Review });
  await page.keyboard.press('z');
  await page.locator('.toast', { hasText: 'Not moved: W-T-7. Somebody else has changed W-T-7' }).waitFor();
  await page.locator('.toast', { hasText: 'Undone' }).waitFor();
  expect(await countIn(organization, 'Backlog')).toBe(500);
  expect(await countIn(organization, 'Review')).toBe(1);
});

test('of what is moved together, what somebody else moves elsewhere at that moment stays there, also when the rest goes back', async () => {
  const organization = await stage.newOrganization();
  await createMany(organization, [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
  const { call, columns } = organization;
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  const boxes = page.getByRole('checkbox', { name: /^Select/ });
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  await page.route(
    '**/batch-move',
    async (route) => {
      await call('POST', '/api/work-items/batch-move', { workItemIds: ['W-T-2'], boardColumnId: columns.Done });
      await route.fallback();
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('menuitem', { name: 'To Do', exact: true }).click();
  await page.locator('.toast', { hasText: 'Not moved: W-T-2. Somebody else has changed W-T-2' }).waitFor();
  await page.locator('.toast', { hasText: '2 work items moved to To Do.' }).waitFor();
  await page.keyboard.press('z');
  await page.locator('.toast', { hasText: 'Undone' }).waitFor();
  expect(await countIn(organization, 'Backlog')).toBe(2);
  expect(await countIn(organization, 'Done')).toBe(1);
});

/** A list of twenty items, all of them selected. */
async function twentySelected() {
  const organization = await stage.newOrganization();
  await createMany(
    organization,
    Array.from({ length: 20 }, (_, at) => ({ title: `Item ${at}` })),
  );
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  const boxes = page.getByRole('checkbox', { name: /^Select/ });
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  return { organization, page };
}

test('nobody who is disabled is offered for what is selected', async () => {
  const { organization, page } = await twentySelected();
  const add = async (name: string) => {
    const user = { email: `${crypto.randomUUID()}@example.com`, name, role: 'member' };
    return (await organization.call<{ id: string }>('POST', '/api/users', user)).data.id;
  };
  const gone = await add('Charles who left');
  await organization.call('PATCH', `/api/users/${gone}`, { disabled: true });
  await add('Grace');
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Assign' }).click();
  await page.getByRole('menuitem', { name: 'Grace' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Charles who left' }).count()).toBe(0);
});

test('while nothing answers, the deletion of many ends, and what is left of them is still selected', async () => {
  const { page } = await twentySelected();
  let asked = 0;
  await page.route(/\/api\/work-items\/[^/]+$/, (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    asked++;
    return asked === 1 ? route.fallback() : route.abort();
  });
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.toast', { hasText: '1 work item deleted.' }).waitFor();
  await page.locator('.toast', { hasText: 'Not deleted: 19 work items. The server is not responding.' }).waitFor();
  await bar.getByText('19 selected').waitFor();
  // Each of the six that were on their way, four times.
  expect(asked).toBeLessThanOrEqual(1 + 6 * 4);
});

test('the deletion of many ends with the session', async () => {
  const { organization, page } = await twentySelected();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
  const { call } = organization;
  const [session] = (await call<{ items: { id: string }[] }>('GET', '/api/sessions')).data.items;
  let asked = 0;
  let ended: Promise<unknown> | undefined;
  await page.route(/\/api\/work-items\/[^/]+$/, async (route) => {
    asked++;
    ended ??= call('DELETE', `/api/sessions/${session?.id}`);
    await ended;
    await route.continue();
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Your session has ended.').waitFor();
  await page.getByLabel('API key').fill(organization.apiKey);
  await page.keyboard.press('Enter');
  await page.locator('.toast', { hasText: 'Not deleted: 20 work items.' }).waitFor();
  // As many as were on their way.
  expect(asked).toBeLessThanOrEqual(6);
});

test('what happens meanwhile is in the list at its place, also if it happened while the list was being read', async () => {
  const organization = await stage.newOrganization();
  const early = await createItem(organization, { title: 'Early', priority: 'low' });
  const { page } = await stage.visit('agents', { apiKey: organization.apiKey });
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  await page.route(
    '**/cards/groups*',
    async (route) => {
      const answer = await route.fetch();
      begun();
      await createItem(organization, { title: 'Meanwhile', priority: 'high' });
      await route.fulfill({ response: answer });
    },
    { times: 1 },
  );
  await page.evaluate((project) => {
    history.pushState(null, '', `/console/list?project=${project}&groupBy=priority`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, organization.projectId);
  await isBegun;
  await expect.poll(() => titles(page)).toEqual(['Meanwhile', 'Early']);
  await organization.call('PATCH', `/api/work-items/${early.id}`, { priority: 'urgent' });
  await createItem(organization, { title: 'Later', priority: 'low' });
  await expect.poll(() => titles(page)).toEqual(['Early', 'Meanwhile', 'Later']);
  await expect
    .poll(() => page.locator('.list-group').allTextContents())
    .toEqual(['Urgent1 item', 'High1 item', 'Low1 item']);
  await organization.call('DELETE', `/api/work-items/${early.id}`);
  await expect.poll(() => page.locator('.list-group').allTextContents()).toEqual(['High1 item', 'Low1 item']);
});

test('a drag with Shift over rows, or from below them, selects the rows that it touches', async () => {
  const organization = await stage.newOrganization();
  await createMany(
    organization,
    ['One', 'Two', 'Three', 'Four'].map((title) => ({ title })),
  );
  const { page, complaints } = await stage.visit('list?sort=createdAt', { apiKey: organization.apiKey });
  await expect.poll(() => titles(page)).toEqual(['One', 'Two', 'Three', 'Four']);
  const middleOf = async (title: string) => {
    const box = await cell(page, title, 'labels').boundingBox();
    if (!box) throw new Error(`${title} is not shown.`);
    return [box.x + 30, box.y + box.height / 2] as const;
  };
  const chosen = () => page.locator('[aria-selected=true] .list-cell-title > a').allTextContents();
  const [two, three, [x, y]] = [await middleOf('Two'), await middleOf('Three'), await middleOf('Four')];
  await page.keyboard.down('Shift');
  await drag(page, two, three);
  await page.keyboard.up('Shift');
  await expect.poll(chosen).toEqual(['Two', 'Three']);
  // Without Shift, from below: these and no others.
  await drag(page, [x, y + 100], [x + 20, y]);
  await expect.poll(chosen).toEqual(['Four']);
  expect(await page.getByRole('menu').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('fields are changed in their cells, with the mouse and the keyboard, several items together, and each change is undone', async () => {
  const organization = await stage.newOrganization();
  await organization.call('POST', `/api/projects/${organization.projectId}/labels`, {
    name: 'Later',
    colour: '#1f6feb',
  });
  const item = await createItem(organization, { title: 'One' });
  await createItem(organization, { title: 'Two' });
  const visitor = await stage.visit('list?sort=title', { apiKey: organization.apiKey });
  const { page } = visitor;
  const now = async () => {
    const { data } = await organization.call<WorkItem>('GET', `/api/work-items/${item.id}`);
    const { title, columnName, priority, assignee, dueDate, estimate, labels } = data;
    return [title, columnName, priority, assignee, dueDate, estimate, labels.map(({ name }) => name).join()];
  };
  const pick = async (name: string, value: string) => {
    await cell(page, 'One', name).click();
    await page.getByRole('menu').getByText(value, { exact: true }).click();
  };
  await pick('column', 'To Do');
  await pick('priority', 'Urgent');
  await pick('labels', 'Later');
  const owner = (await organization.call<{ user: { name: string } }>('GET', '/api/me')).data.user.name;
  await pick('assignee', owner);
  await cell(page, 'One', 'estimate').click();
  await page.getByLabel('Estimate', { exact: true }).fill('5');
  await page.keyboard.press('Enter');
  await expect.poll(now).toEqual(['One', 'To Do', 'urgent', owner, null, 5, 'Later']);

  // From the cell that was changed, with the keyboard alone.
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.getByLabel('Due date', { exact: true }).fill('2031-05-06');
  await page.keyboard.press('Enter');
  await expect.poll(now).toEqual(['One', 'To Do', 'urgent', owner, '2031-05-06', 5, 'Later']);
  await dismiss(page);
  await cell(page, 'One', 'dueDate').focus();
  await page.keyboard.press('F2');
  await page.getByLabel('Title', { exact: true }).fill('Zero');
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(page)).toEqual(['Two', 'Zero']);
  await page.getByText(`${item.taskId} changed.`).waitFor();
  await page.keyboard.press('z');
  await expect.poll(() => titles(page)).toEqual(['One', 'Two']);

  await cell(page, 'Two', 'title').locator('a').focus();
  await page.keyboard.press('x');
  await page.getByRole('checkbox', { name: `Select ${item.taskId}` }).click();
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText('2 selected').waitFor();
  await visitor.isGood('list-selection');
  await bar.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Done', exact: true }).click();
  await expect.poll(() => cell(page, 'Two', 'column').textContent()).toBe('Done');
  await expect.poll(async () => (await now())[1]).toBe('Done');

  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'Reader',
    permissions: ['work-items:read', 'projects:read'],
  });
  const reader = await stage.visit('list?sort=title', { apiKey: data.key });
  await cell(reader.page, 'One', 'priority').click();
  await reader.page.getByRole('complementary', { name: 'One' }).waitFor();
  expect(await reader.page.getByRole('checkbox').count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
});

test('what is shown is saved as a view, of one’s own or shared, which is in the navigation, has an address and is changed, renamed, deleted and taken back', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Soon', priority: 'urgent' });
  await createItem(organization, { title: 'Some day', priority: 'low' });
  const visitor = await stage.visit('list', { apiKey: organization.apiKey });
  const { page } = visitor;
  const views = async () =>
    (await organization.call<{ views: View[] }>('GET', '/api/views')).data.views.map(({ name, shared, filters }) => ({
      name,
      shared,
      filters,
    }));
  const inNavigation = (of: Page) => of.getByRole('region', { name: 'Views' }).getByRole('link').allTextContents();
  await narrow(page, 'Priority', 'Urgent');
  await expect.poll(() => titles(page)).toEqual(['Soon']);
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Urgent');
  await page.getByLabel('For everybody who sees the project').check();
  await page.keyboard.press('Enter');
  await expect.poll(() => inNavigation(page)).toEqual(['Urgent']);
  const columns = 'column,priority,assignee,labels,dueDate,estimate';
  const filters = { layout: 'list', priority: 'urgent', columns };
  expect(await views()).toEqual([{ name: 'Urgent', shared: true, filters }]);
  // At once, for it goes by itself.
  await dismiss(page);
  await visitor.isGood('list-view');

  // Others see it, and may not change it.
  const hers = await organization.newUser({}, { permissions: ['work-items:read', 'projects:read'] });
  const [{ id = '' } = {}] = (await organization.call<{ views: View[] }>('GET', '/api/views')).data.views;
  const { page: her } = await stage.visit(`views/${id}`, { apiKey: hers.key });
  await expect.poll(() => titles(her)).toEqual(['Soon']);
  await her.getByRole('button', { name: 'View Urgent' }).click();
  expect(await her.getByRole('menuitem').allTextContents()).toEqual(['Save as a new view']);

  await page.getByRole('button', { name: 'Priority: Urgent', exact: true }).click();
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Low' }).check();
  await page.keyboard.press('Escape');
  await expect.poll(() => titles(page)).toEqual(['Some day', 'Soon']);
  const choose = async (name: string, item: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await choose('View Urgent, changed here', 'Save changes');
  await page.getByText('Urgent saved.').waitFor();
  await expect.poll(async () => (await views())[0]?.filters).toEqual({ ...filters, priority: ['urgent', 'low'] });
  await page.keyboard.press('z');
  await expect.poll(async () => (await views())[0]?.filters).toEqual(filters);
  await choose('View Urgent, changed here', 'Discard changes');
  await expect.poll(() => titles(page)).toEqual(['Soon']);
  await choose('View Urgent', 'Rename');
  await page.getByRole('textbox', { name: 'Name' }).fill('At once');
  await page.keyboard.press('Enter');
  await expect.poll(() => inNavigation(page)).toEqual(['At once']);
  await expect.poll(() => inNavigation(her)).toEqual(['At once']);
  await choose('View At once', 'Keep to yourself');
  await her.getByRole('region', { name: 'Views' }).waitFor({ state: 'detached' });
  await choose('View At once', 'Delete');
  await page.getByText('At once deleted.').waitFor();
  expect(await inNavigation(page)).toEqual([]);
  await page.keyboard.press('z');
  await expect.poll(() => inNavigation(page)).toEqual(['At once']);
  expect(await views()).toEqual([{ name: 'At once', shared: false, filters }]);
  expect(visitor.complaints).toEqual([]);
});

test('names with commas are filters and lanes like others, and stay whole in the address and in saved views', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Hers', assignee: 'Lovelace,Ada' });
  await createItem(organization, { title: 'His', assignee: 'Lovelace' });
  await createItem(organization, { title: 'Theirs', assignee: 'Hopper, Grace' });
  const visitor = await stage.visit('list', { apiKey: organization.apiKey });
  const { page } = visitor;
  await narrow(page, 'Assignee', 'Lovelace,Ada');
  await expect.poll(() => titles(page)).toEqual(['Hers']);
  await page.getByRole('button', { name: 'Assignee: Lovelace,Ada', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Hopper, Grace' }).check();
  await expect.poll(() => titles(page)).toHaveLength(2);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Assignee: Lovelace,Ada, Hopper, Grace', exact: true }).waitFor();
  await expect.poll(async () => (await titles(page)).toSorted()).toEqual(['Hers', 'Theirs']);

  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Two');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Views' }).getByRole('link', { name: 'Two' }).waitFor();
  const { data } = await organization.call<{ views: View[] }>('GET', '/api/views');
  const { page: again } = await visitor.openTab(`views/${data.views[0]?.id}`);
  await expect.poll(async () => (await titles(again)).toSorted()).toEqual(['Hers', 'Theirs']);

  const { page: board } = await visitor.openTab('board?groupBy=assignee');
  const cards = board.getByRole('region', { name: /^Lovelace,Ada, / }).locator('.card-title');
  await expect.poll(() => cards.allTextContents()).toEqual(['Hers']);
});

test('a filter by what was deleted since says so, and is taken out', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const title = 'Still there';
  await createItem(organization, { title });
  const epic = await createItem(organization, { title: 'Over', type: 'epic' });
  const label = { name: 'Gone', colour: '#1f6feb' };
  const { data } = await call<{ id: string }>('POST', `/api/projects/${projectId}/labels`, label);
  await call('DELETE', `/api/work-items/${epic.id}`);
  await call('DELETE', `/api/projects/${projectId}/labels/${data.id}`);
  const { page } = await stage.visit(`list?epic=${epic.taskId}`, { apiKey: organization.apiKey });
  await page.getByText('What is filtered by no longer exists.').waitFor();
  await page.getByRole('button', { name: `Remove Epic: ${epic.taskId}` }).click();
  await expect.poll(() => titles(page)).toEqual([title]);
  await page.goto(new URL(`list?label=${data.id}`, page.url()).href);
  await page.getByRole('button', { name: 'Remove Label: deleted' }).click();
  await expect.poll(() => titles(page)).toEqual([title]);
});

test('back from an item, one is where one was: in the list, on the board, and in what needs one', async () => {
  const organization = await stage.newOrganization();
  const { projectId, boardId, columns, call } = organization;
  const items = Array.from({ length: 80 }, (_, at) => ({ type: 'task', title: `Number ${at}`, assignee: 'me' }));
  await call('POST', '/api/work-items/batch', { projectId, boardId, boardColumnId: columns.Backlog, items });
  const visitor = await stage.visit('list', { apiKey: organization.apiKey });
  const { page } = visitor;
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  for (const [screen, scroller, links] of [
    ['list', '.list', '.list-row a'],
    ['board', '.column-cards', '.card-title'],
  ] as const) {
    await page.goto(`${stage.url}/console/${screen}`);
    const link = page.locator(links, { hasText: /^Number 40$/ });
    await expect
      .poll(async () => {
        await page
          .locator(scroller)
          .first()
          .evaluate((element) => element.scrollBy(0, 500));
        return link.count();
      })
      .toBe(1);
    await link.focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Number 40' });
    await panel.getByRole('heading', { name: 'Number 40' }).waitFor();
    // The half of it that is left to the list is one that can be read.
    const left = () => page.locator('main').evaluate(({ clientWidth }) => clientWidth);
    expect(await left()).toBeGreaterThan(500);
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Number 40' }).waitFor();
    await page.goBack();
    await panel.waitFor();
    await link.waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Number 40');
    const box = await link.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
  }
  await page.goto(`${stage.url}/console/for-you`);
  const current = page.locator('[aria-current=true]');
  await current.waitFor();
  for (let step = 0; step < 3; step++) await page.keyboard.press('j');
  const chosen = await current.locator('a').first().textContent();
  await page.keyboard.press('o');
  await page.getByRole('region', { name: 'Properties' }).waitFor();
  await page.goBack();
  await expect.poll(() => current.locator('a').first().textContent()).toBe(chosen);
  // What one comes to by a link begins at its beginning.
  await page.getByRole('link', { name: 'Board' }).click();
  await page.locator('.card-title').first().waitFor();
  expect(await focused()).not.toContain('Number');
  expect(visitor.complaints).toEqual([]);
});

test('a title that others change while it is changed in its cell is not overwritten unseen, and what was written is kept', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Mine' });
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  const change = async (title: string, priority: string, shown: string) => {
    await organization.call('PATCH', `/api/work-items/${item.id}`, { title, priority });
    await page.locator('[data-cell=priority]').getByText(shown).waitFor();
  };
  const stored = async () => (await organization.call<WorkItem>('GET', `/api/work-items/${item.id}`)).data.title;
  await page.getByRole('link', { name: 'Mine' }).focus();
  await page.keyboard.press('F2');
  await change('Theirs', 'high', 'High');
  // Opened and left as it was.
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Theirs' }).focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Mine again');
  await change('Theirs again', 'low', 'Low');
  await page.keyboard.press('Enter');
  await page.getByText(`Somebody else has changed ${item.taskId}`).waitFor();
  expect(await stored()).toBe('Theirs again');
  await page.goto(`${stage.url}/console/items/${item.taskId}`);
  await page.getByRole('button', { name: 'Not saved yet' }).click();
  expect(await page.getByLabel('Your version').inputValue()).toBe('Mine again');
});

test('a title that is being changed in its cell when the session ends is there again after a new sign-in', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Before the night' });
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  await page.getByRole('link', { name: 'Before the night' }).focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Half a title');
  const { data } = await organization.call<{ items: { id: string }[] }>('GET', '/api/sessions');
  await organization.call('DELETE', `/api/sessions/${data.items[0]?.id}`);
  await page.getByText('Your session has ended.').waitFor();
  await page.getByLabel('API key').fill(organization.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Before the night' }).waitFor();
  await page.goto(`${stage.url}/console/items/${item.taskId}`);
  await page.getByRole('button', { name: 'Not saved yet' }).click();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Half a title');
});
