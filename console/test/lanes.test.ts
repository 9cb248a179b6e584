import type { View } from '@worktrack/contracts/work-items/lists/view';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { drag } from './support/drag.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const lanes = (page: Page) =>
  page.locator('.lane').evaluateAll((all) => all.map((lane) => lane.getAttribute('aria-label')));
const laneOf = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}, `) });
const cellOf = (page: Page, lane: string, column: string) =>
  laneOf(page, lane).getByRole('group', { name: new RegExp(`^${column}, `) });
const titlesIn = (page: Page, lane: string, column: string) =>
  cellOf(page, lane, column).locator('.card-title').allTextContents();
const titled = (page: Page, title: string) =>
  page.locator('.card').filter({ has: page.getByText(title, { exact: true }) });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

const placeOf = async (organization: TestOrganization, { id }: WorkItem) => {
  const { data } = await organization.call<WorkItem>('GET', `/api/work-items/${id}`);
  return [data.parentId ?? data.assignee, data.columnName];
};

/** Five cards for each of them in every column. */
async function fillColumns(
  { call, projectId, boardId, columns }: Awaited<ReturnType<typeof stage.newOrganization>>,
  names: readonly string[],
): Promise<void> {
  for (const boardColumnId of Object.values(columns)) {
    await call('POST', '/api/work-items/batch', {
      ...{ projectId, boardId, boardColumnId },
      items: names.flatMap((assignee) =>
        Array.from({ length: 5 }, (_, at) => ({ type: 'task', title: `${at} of ${assignee}`, assignee })),
      ),
    });
  }
}

async function dragInto(page: Page, title: string, lane: string, column: string): Promise<void> {
  const middles: [number, number][] = [];
  for (const each of [titled(page, title), cellOf(page, lane, column)]) {
    const box = await each.boundingBox();
    if (!box) throw new Error(`${title} or ${lane} is not shown.`);
    middles.push([box.x + box.width / 2, box.y + box.height / 2]);
  }
  await drag(page, ...(middles as [[number, number], [number, number]]));
}

test('cards in lanes by epic are moved to another epic with the mouse and the keyboard, which z takes back, and look right', async () => {
  const organization = await stage.newOrganization();
  const themes = await createItem(organization, { type: 'epic', title: 'Themes' });
  const sync = await createItem(organization, { type: 'epic', title: 'Sync', boardColumnId: 'To Do' });
  const one = await createItem(organization, { title: 'One', parentId: themes.id });
  await createItem(organization, { title: 'Two', parentId: themes.id, boardColumnId: 'In Progress' });
  const three = await createItem(organization, { title: 'Three', boardColumnId: 'Review' });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await choose(page, 'Lanes', 'Epic');
  const [ofThemes, ofSync] = [`${themes.taskId} Themes`, `${sync.taskId} Sync`];
  await expect.poll(() => lanes(page)).toEqual([`${ofThemes}, 3 cards`, `${ofSync}, 1 card`, 'No epic, 1 card']);
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('Backlog2, 2 cards');
  const name = `${one.taskId}, One, Task, Priority: Medium, Backlog`;
  await laneOf(page, ofThemes).getByRole('link', { name, exact: true }).waitFor();
  await visitor.isGood('board-lanes');

  await page.locator('.card[draggable=true]').nth(4).waitFor();
  await dragInto(page, 'One', ofSync, 'To Do');
  await expect.poll(() => titlesIn(page, ofSync, 'To Do')).toEqual(['Sync', 'One']);
  await expect.poll(() => placeOf(organization, one)).toEqual([sync.id, 'To Do']);
  await expect.poll(() => lanes(page)).toEqual([`${ofThemes}, 2 cards`, `${ofSync}, 2 cards`, 'No epic, 1 card']);
  await page.getByText(`${one.taskId} changed.`).waitFor();
  await page.keyboard.press('z');
  await expect.poll(() => placeOf(organization, one)).toEqual([themes.id, 'Backlog']);
  await expect.poll(() => titlesIn(page, ofThemes, 'Backlog')).toEqual(['One']);
  // Parents follow.
  await expect.poll(() => titlesIn(page, ofThemes, 'In Progress')).toEqual(['Two', 'Themes']);

  // An epic is in no other.
  await dragInto(page, 'Themes', ofSync, 'Backlog');
  await page.getByText(`Not changed: ${themes.taskId}.`).waitFor();
  await expect.poll(() => titlesIn(page, ofThemes, 'In Progress')).toEqual(['Two', 'Themes']);

  await titled(page, 'Three').locator('.card-title').focus();
  await page.keyboard.press('Alt+Shift+ArrowUp');
  await expect.poll(() => placeOf(organization, three)).toEqual([sync.id, 'Review']);
  await expect.poll(() => titlesIn(page, ofSync, 'Review')).toEqual(['Three']);
  await expect.poll(() => focused(page)).toBe('Three');
  await expect.poll(() => lanes(page)).toContain('No epic, 0 cards');
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(() => placeOf(organization, three)).toEqual([sync.id, 'Testing']);
  await expect.poll(() => titlesIn(page, ofSync, 'In Progress')).toEqual(['Sync']);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => focused(page)).toBe('Sync');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => focused(page)).toBe('Themes');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe('Sync');

  // What is sent back into another lane says why, too.
  await dragInto(page, 'Three', 'No epic', 'In Progress');
  await page.getByRole('dialog').getByLabel('What is wrong?').fill('The clocks differ.');
  await page.keyboard.press('Control+Enter');
  await cellOf(page, 'No epic', 'In Progress').getByText('Sent back: The clocks differ.').waitFor();
  expect(await placeOf(organization, three)).toEqual([null, 'In Progress']);
  expect(visitor.complaints).toEqual([]);
});

test('what is below a card goes along with it to another epic', async () => {
  const organization = await stage.newOrganization();
  const [from, to] = [
    await createItem(organization, { type: 'epic', title: 'From' }),
    await createItem(organization, { type: 'epic', title: 'To' }),
  ];
  const feature = await createItem(organization, { type: 'feature', title: 'Feature', parentId: from.id });
  await createItem(organization, { title: 'Below', parentId: feature.id, boardColumnId: 'To Do' });
  const { page } = await stage.visit('board?groupBy=epic', { apiKey: organization.apiKey });
  const [ofFrom, ofTo] = [`${from.taskId} From`, `${to.taskId} To`];
  await expect.poll(() => titlesIn(page, ofFrom, 'To Do')).toEqual(['Below']);
  await titled(page, 'Feature').locator('.card-title').focus();
  await page.keyboard.press('Alt+Shift+ArrowDown');
  await expect.poll(() => titlesIn(page, ofTo, 'To Do')).toEqual(['Below']);
  // By somebody else.
  await organization.call('PATCH', `/api/work-items/${feature.id}`, { parentId: from.id });
  await expect.poll(() => titlesIn(page, ofFrom, 'To Do')).toEqual(['Below']);
  await expect.poll(() => lanes(page)).toEqual([`${ofFrom}, 3 cards`, `${ofTo}, 1 card`, 'No epic, 0 cards']);
});

test('what others do moves cards from lane to lane, and a card that somebody else has assigned meanwhile stays theirs', async () => {
  const organization = await stage.newOrganization();
  const own = await createItem(organization, { title: 'Hers', assignee: 'ada' });
  const free = await createItem(organization, { title: 'Free' });
  const { page, complaints } = await stage.visit('board?groupBy=assignee', { apiKey: organization.apiKey });
  await expect.poll(() => lanes(page)).toEqual(['ada, 1 card', 'Nobody, 1 card']);
  const assign = ({ id }: WorkItem, assignee: string) =>
    organization.call('PATCH', `/api/work-items/${id}`, { assignee });
  await assign(free, 'Grace');
  await expect.poll(() => lanes(page)).toEqual(['ada, 1 card', 'Grace, 1 card', 'Nobody, 0 cards']);
  await expect.poll(() => titlesIn(page, 'Grace', 'Backlog')).toEqual(['Free']);
  await assign(free, 'ada');
  await expect.poll(() => titlesIn(page, 'ada', 'Backlog')).toHaveLength(2);
  await expect.poll(() => lanes(page)).toEqual(['ada, 2 cards', 'Nobody, 0 cards']);

  await page.route(
    `**/api/work-items/${own.id}`,
    async (route) => {
      await assign(own, 'Zoe');
      await route.continue();
    },
    { times: 1 },
  );
  await titled(page, 'Hers').locator('.card-title').focus();
  await page.keyboard.press('Alt+Shift+ArrowDown');
  await page.getByText(`Somebody else has changed ${own.taskId} in the meantime, and their change stays.`).waitFor();
  await expect.poll(() => titlesIn(page, 'Zoe', 'Backlog')).toEqual(['Hers']);
  expect(await lanes(page)).toEqual(['ada, 1 card', 'Zoe, 1 card', 'Nobody, 0 cards']);
  expect(complaints).toEqual([]);
});

test('lanes are in the address and in saved views, and those that are closed stay so', async () => {
  const organization = await stage.newOrganization();
  await createItem(organization, { title: 'Hers', assignee: 'ada' });
  await createItem(organization, { title: 'Free' });
  const dependsOn = await Promise.all(
    ['One', 'Two', 'Three'].map(async (title) => (await createItem(organization, { title })).taskId),
  );
  await createItem(organization, { title: 'Waits', assignee: 'bob', dependsOn });
  const visitor = await stage.visit('board?groupBy=assignee', { apiKey: organization.apiKey });
  const { page } = visitor;
  await titled(page, 'Waits').getByText('and 1 more').waitFor();
  const wide = await page
    .locator('.lane-cell')
    .evaluateAll((cells) => cells.filter((cell) => (cell.firstElementChild?.scrollWidth ?? 0) > cell.clientWidth));
  expect(wide).toEqual([]);
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('By person');
  await page.keyboard.press('Enter');
  const link = page.getByRole('region', { name: 'Views' }).getByRole('link', { name: 'By person' });
  await link.waitFor();
  const { data } = await organization.call<{ views: View[] }>('GET', '/api/views');
  expect(data.views.map(({ filters }) => filters)).toEqual([{ layout: 'board', groupBy: 'assignee' }]);
  await choose(page, 'Lanes', 'None');
  await page.locator('.column').first().waitFor();
  await link.click();
  await titled(page, 'Hers').waitFor();
  await page.getByRole('button', { name: 'ada 1 card' }).click();
  await titled(page, 'Hers').waitFor({ state: 'detached' });

  const { page: again } = await visitor.openTab(`views/${data.views[0]?.id}`);
  await titled(again, 'Free').waitFor();
  const head = again.getByRole('button', { name: 'ada 1 card' });
  expect(await head.getAttribute('aria-expanded')).toBe('false');
  expect(await titled(again, 'Hers').count()).toBe(0);
  await head.focus();
  await again.keyboard.press('Enter');
  await titled(again, 'Hers').waitFor();
  expect(visitor.complaints).toEqual([]);
});

test('of many lanes, only those in view are read, each in one request; their columns are read on as they are scrolled', async () => {
  const organization = await stage.newOrganization();
  const names = Array.from({ length: 60 }, (_, at) => `person ${String(at).padStart(2, '0')}`);
  const items = [
    ...names.map((assignee) => ({ title: `Of ${assignee}`, assignee })),
    ...Array.from({ length: 60 }, (_, at) => ({ title: `More ${at}`, assignee: names[0] })),
  ];
  const { projectId, boardId, columns } = organization;
  for (const part of [items.slice(0, 60), items.slice(60)]) {
    await organization.call('POST', '/api/work-items/batch', {
      ...{ projectId, boardId, boardColumnId: columns.Backlog },
      items: part.map((item) => ({ type: 'task', ...item })),
    });
  }
  const visitor = await stage.visit('board?groupBy=assignee', { apiKey: organization.apiKey });
  const { page } = visitor;
  await titled(page, 'Of person 01').waitFor();
  await expect.poll(() => lanes(page)).toContain('person 00, 61 cards');
  const requested = () => visitor.requests.filter(({ path }) => path === '/api/board-view').length;
  expect(requested()).toBeLessThan(20);
  const cell = cellOf(page, 'person 00', 'Backlog');
  const drawn = cell.getByRole('listitem');
  await expect.poll(() => drawn.count()).toBe(6);
  await titled(page, 'Of person 02').waitFor();
  expect(visitor.requests.filter(({ path }) => path.endsWith('/cards'))).toEqual([]);
  const readUntilNow = requested();
  await createItem(organization, { title: 'Another', assignee: 'person 00' });
  await expect.poll(() => lanes(page)).toContain('person 00, 62 cards');
  // All that is counted of a lane, too.
  await expect.poll(requested).toBeGreaterThan(readUntilNow);
  const first = cell.locator('.card').first();
  await first.evaluate((element) => Object.assign(element, { wasThere: true }));
  await cell.hover();
  await expect.poll(() => drawn.count()).toBeGreaterThan(6);
  expect(await first.evaluate((element) => 'wasThere' in element)).toBe(true);
  await expect
    .poll(async () => {
      await cell.locator('.column-cards').evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return drawn.last().getAttribute('aria-posinset');
    })
    .toBe('62');
  await expect
    .poll(async () => {
      await page.locator('.board').evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return lanes(page);
    })
    .toContain('Nobody, 0 cards');
  await titled(page, 'Of person 59').waitFor();
  expect(await page.locator('.lane').count()).toBeLessThan(20);
  expect(visitor.complaints).toEqual([]);
});

test('lanes that come into view are drawn a few cards a frame, however many are read together, those in the window first', async () => {
  const organization = await stage.newOrganization();
  const names = ['ada', 'bob', 'eve', 'grace'];
  await fillColumns(organization, names);
  const { page } = await stage.visit('list', { apiKey: organization.apiKey });
  await page.addInitScript(() => {
    const perFrame: number[] = [];
    const begun = new Map<Element, number>();
    Object.assign(globalThis, { perFrame, begun });
    let before = 0;
    const frame = () => {
      const now = document.querySelectorAll('.lane-cell .card').length;
      perFrame.push(now - before);
      for (const cell of document.querySelectorAll('.lane-cell:has(.card)')) {
        if (!begun.has(cell)) begun.set(cell, perFrame.length);
      }
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.goto(`${stage.url}/console/board?groupBy=assignee`);
  await titled(page, '4 of grace').first().waitFor({ state: 'attached' });
  const perFrame = await page.evaluate(() => (globalThis as unknown as { perFrame: number[] }).perFrame);
  expect(Math.max(...perFrame)).toBeLessThanOrEqual(16);
  await expect
    .poll(() => page.locator('.lane-cell:has(.card)').count())
    .toBe(names.length * Object.keys(organization.columns).length);
  const begun = await page.evaluate(() => {
    const all = [...(globalThis as unknown as { begun: Map<Element, number> }).begun];
    return all.map(([cell, frame]) => {
      const { top, left } = cell.getBoundingClientRect();
      return { frame, isInView: top < innerHeight && left < innerWidth };
    });
  });
  const framesOf = (inView: boolean) => begun.filter((one) => one.isInView === inView).map(({ frame }) => frame);
  expect(Math.max(...framesOf(true))).toBeLessThanOrEqual(Math.min(...framesOf(false)));
});

test('lanes are few layers, which a browser puts together in every frame', async () => {
  const organization = await stage.newOrganization();
  const names = ['ada', 'bob', 'eve', 'grace', 'linus', 'tim'];
  await fillColumns(organization, names);
  const { page } = await stage.visit('board?groupBy=assignee', { apiKey: organization.apiKey });
  await titled(page, '4 of bob').last().waitFor();
  const devtools = await page.context().newCDPSession(page);
  const counts: number[] = [];
  devtools.on('LayerTree.layerTreeDidChange', ({ layers = [] }) => void counts.push(layers.length));
  await devtools.send('LayerTree.enable');
  const scrolled = async () => {
    await page.locator('.board').evaluate((element) => element.scrollBy(0, 5));
    return counts.length;
  };
  await expect.poll(scrolled).toBeGreaterThan(5);
  expect(Math.max(...counts)).toBeLessThan(60);
});

test('a long press drags a card to another lane on a touch screen', async () => {
  const organization = await stage.newOrganization();
  const one = await createItem(organization, { title: 'Hers', assignee: 'ada' });
  await createItem(organization, { title: 'His', assignee: 'bob' });
  const visitor = await stage.visit('board?groupBy=assignee', {
    ...{ apiKey: organization.apiKey, hasTouch: true, isMobile: true, viewport: { width: 375, height: 812 } },
  });
  const { page } = visitor;
  await page.locator('.card[draggable=true]').nth(1).waitFor();
  const devTools = await page.context().newCDPSession(page);
  const middle = async (what: Locator) => {
    const box = await what.boundingBox();
    if (!box) throw new Error('It is not shown.');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  await devTools.send('Input.setInterceptDrags', { enabled: true });
  type Drag = NonNullable<Parameters<typeof devTools.send<'Input.dispatchDragEvent'>>[1]>;
  const intercepted = new Promise<Pick<Drag, 'data'>>((resolve) => devTools.once('Input.dragIntercepted', resolve));
  await devTools.send('Emulation.setEmitTouchEventsForMouse', { enabled: true, configuration: 'mobile' });
  const finger = { ...(await middle(titled(page, 'Hers'))), button: 'left', clickCount: 1 } as const;
  // Not answered: what follows is a drag, and no longer a touch.
  void devTools.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...finger }).catch(() => {});
  const { data } = await intercepted;
  const target = await middle(cellOf(page, 'bob', 'Backlog'));
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devTools.send('Input.dispatchDragEvent', { type, ...target, data });
  await expect.poll(() => titlesIn(page, 'bob', 'Backlog')).toHaveLength(2);
  await expect.poll(() => placeOf(organization, one)).toEqual(['bob', 'Backlog']);
  expect(visitor.complaints).toEqual([]);
});
