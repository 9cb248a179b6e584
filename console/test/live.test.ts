import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { TestProxy } from '../../libs/rpc/testing/proxy.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

let network: TestProxy;
const stage = openStage({
  through: async (gateway) => {
    network = await TestProxy.to(gateway);
    return network.url;
  },
});
afterAll(() => network?.close());

const titlesIn = (page: Page, name: string) =>
  page.locator(`.column[aria-label^="${name},"] .card-title`).allTextContents();

test('what others do appears on the board and in the item as it happens', async () => {
  const { organization } = stage;
  const first = await createItem(organization, { title: 'First' });
  const { page } = await stage.visit('board');
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['First']);

  const second = await createItem(organization, { title: 'Second' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['First', 'Second']);
  await organization.call('POST', `/api/work-items/${first.id}/move`, { boardColumnId: 'Review' });
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['First']);
  expect(await titlesIn(page, 'Backlog')).toEqual(['Second']);
  await page.locator('.column[aria-label="Backlog, 1 card"]').waitFor();

  await page.getByRole('link', { name: 'First' }).click();
  await page.getByRole('complementary', { name: 'First' }).getByRole('heading', { name: 'First' }).waitFor();
  await organization.call('PATCH', `/api/work-items/${first.id}`, { title: 'Renamed' });
  await page.getByRole('complementary', { name: 'Renamed' }).getByRole('heading', { name: 'Renamed' }).waitFor();
  await page.getByText('changed title').waitFor();
  await page.goBack();
  await organization.call('DELETE', `/api/work-items/${second.id}`);
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual([]);
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['Renamed']);
});

test('what one browser does, another sees', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Seen by two' });
  const { apiKey } = organization;
  const [mine, theirs] = [await stage.visit('board', { apiKey }), await stage.visit('board', { apiKey })];
  await expect.poll(() => titlesIn(theirs.page, 'Backlog')).toEqual(['Seen by two']);
  await mine.page.getByRole('button', { name: `Move ${taskId}` }).click();
  await mine.page.getByRole('menuitem', { name: 'To Review' }).click();
  await expect.poll(() => titlesIn(theirs.page, 'Review')).toEqual(['Seen by two']);
  expect(await titlesIn(theirs.page, 'Backlog')).toEqual([]);
  await theirs.page.getByRole('link', { name: 'Seen by two' }).click();
  await theirs.page.getByRole('button', { name: 'Edit title' }).press('Enter');
  await theirs.page.getByRole('textbox', { name: 'Title' }).fill('Renamed by one');
  await theirs.page.keyboard.press('Enter');
  await expect.poll(() => titlesIn(mine.page, 'Review')).toEqual(['Renamed by one']);
  // A card shows what an event tells before it is read again.
  await mine.page.route(/\/cards\?ids=/, () => {});
  await organization.call('PATCH', `/api/work-items/${id}`, { title: 'Renamed elsewhere' });
  await expect.poll(() => titlesIn(mine.page, 'Review')).toEqual(['Renamed elsewhere']);
});

test('an answer that was asked for before an event does not take back what the event told', async () => {
  const organization = await stage.newOrganization();
  const { id } = await createItem(organization, { title: 'Before' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['Before']);
  const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The first answer waits, and there is no other.
  await page.route(/\/cards\?ids=/, () => {});
  await page.route(
    /\/cards\?ids=/,
    async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const answer = await organization.call('GET', pathname + search);
      asked.resolve();
      await told.promise;
      await route.fulfill({ json: answer });
    },
    { times: 1 },
  );
  await organization.call('POST', `/api/work-items/${id}/move`, { boardColumnId: 'Review' });
  await asked.promise;
  await organization.call('PATCH', `/api/work-items/${id}`, { title: 'After' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(['After']);
  told.resolve();
  await expect.poll(() => titlesIn(page, 'Review')).toEqual(['After']);
});

test('whoever looks at an item sees who else does', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Looked at' });
  const { key } = await organization.newUser({}, { permissions: ['work-items:read'] });
  const mine = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey });
  await mine.page.getByRole('heading', { name: 'Looked at' }).waitFor();
  const theirs = await stage.visit(`items/${id}`, { apiKey: key });
  await theirs.page.locator('.item-others').getByRole('img').waitFor();
  await mine.page.getByRole('img', { name: 'Grace is here, too' }).waitFor();
  // The page says so when it is left, and does not wait until it is missed.
  const leaves = theirs.page.waitForRequest((request) => !!request.postData()?.includes('"isLeaving":true'));
  await theirs.page.getByRole('link', { name: 'Agents' }).click();
  await leaves;
  await mine.page.getByRole('img', { name: 'Grace is here, too' }).waitFor({ state: 'detached' });
});

test('a card and the list of agents show an agent’s progress, heartbeat by heartbeat', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Worked on', boardColumnId: 'To Do' });
  const { apiKey } = organization;
  const [board, agents] = [await stage.visit('board', { apiKey }), await stage.visit('agents', { apiKey })];
  const claim = { ids: [taskId], agent: 'agent 7' };
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const beat = (told: object) =>
    organization.call('POST', `/api/work-items/${id}/progress`, { leaseToken: data.lease.token, ...told });
  const card = board.page.locator('.card').filter({ has: board.page.getByText(`${taskId}`, { exact: true }) });
  await card.getByText('agent 7').waitFor();
  const listed = agents.page.getByRole('listitem').filter({ has: agents.page.getByRole('heading') });
  await listed.getByText('Worked on').waitFor();
  const asked: string[] = [];
  let lastMs = performance.now();
  for (const { page } of [board, agents]) {
    page.on('request', (request) => {
      if (!request.url().includes('/api/')) return;
      asked.push(request.url());
      lastMs = performance.now();
    });
  }
  // What the claim made them read has been read: the last of it is how much needs somebody, within five seconds.
  await expect.poll(() => performance.now() - lastMs).toBeGreaterThan(6_000);
  asked.length = 0;
  for (const [progress, note] of [
    [0.25, 'Reading'],
    [0.5, 'Tests are written'],
  ] as const) {
    await beat({ progress, note });
    for (const shown of [card, listed]) {
      await shown.getByText(`${progress * 100}%`).waitFor();
      await shown.getByText(note).waitFor();
    }
  }
  expect(asked).toEqual([]);
});

test('what happens while a screen reads for the first time is not missed', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Claimed meanwhile', boardColumnId: 'To Do' });
  const { page } = await stage.visit('settings', { apiKey: organization.apiKey });
  const working = /\/api\/work-items\?.*leaseState=working/;
  let isFirst = true;
  await page.route(working, async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    const again = page.waitForRequest(working);
    await organization.call('POST', '/api/work-items/claim', { ids: [taskId], agent: 'agent 7' });
    await again;
    // What was true before; it may no longer be wanted.
    const none = { workItems: [], pagination: { page: 1, limit: 100, total: 0, totalPages: 0 }, nextCursor: null };
    await route.fulfill({ json: { success: true, data: none } }).catch(() => {});
  });
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByText('Claimed meanwhile').waitFor();
});

test('what happens while a board is opened is not missed', async () => {
  const organization = await stage.newOrganization();
  const { id } = await createItem(organization, { title: 'As it was' });
  const first = await stage.visit('board', { apiKey: organization.apiKey });
  await expect.poll(() => titlesIn(first.page, 'Backlog')).toEqual(['As it was']);
  await first.page.context().route('**/api/board-view*', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const { data } = await organization.call('GET', `${pathname}${search}`);
    await organization.call('PATCH', `/api/work-items/${id}`, { title: 'Renamed meanwhile' });
    // One stream for both: the other page has been told by now.
    await expect.poll(() => titlesIn(first.page, 'Backlog')).toEqual(['Renamed meanwhile']);
    await route.fulfill({ json: { success: true, data } });
  });
  const second = await first.openTab('board');
  await expect.poll(() => titlesIn(second.page, 'Backlog')).toEqual(['Renamed meanwhile']);
});

test('the tabs of a browser share one stream, and the tab that takes it over continues where it was', async () => {
  const { organization } = stage;
  const visitor = await stage.visit('board');
  await visitor.page.locator('.column').first().waitFor();
  const tab = await visitor.openTab('board');
  await tab.page.locator('.column').first().waitFor();
  await createItem(organization, { title: 'Shared' });
  for (const { page } of [visitor, tab]) await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Shared');
  expect([visitor.streams, tab.streams]).toEqual([['now'], []]);
  await visitor.page.close();
  await createItem(organization, { title: 'Later' });
  await expect.poll(() => titlesIn(tab.page, 'Backlog')).toContain('Later');
  expect(tab.streams).toEqual([expect.any(Number)]);
});

test('a broken connection is reported, what is shown is marked as old, and afterwards nothing is missing', async () => {
  const { organization } = stage;
  const visitor = await stage.visit('board');
  const { page } = visitor;
  await page.locator('.column').first().waitFor();
  const known = await createItem(organization, { title: 'Known' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Known');
  network.cut({ stayDown: true });
  await page.getByText('Disconnected since').waitFor();
  expect(await page.locator('main').getAttribute('class')).toBe('is-old');
  await visitor.isGood('board-disconnected');
  await createItem(organization, { title: 'Missed' });
  const missed = { title: 'Known, and renamed meanwhile' };
  await organization.call<WorkItem>('PATCH', `/api/work-items/${known.id}`, missed);
  network.restore();
  await expect.poll(() => titlesIn(page, 'Backlog')).toEqual(expect.arrayContaining(['Missed', missed.title]));
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  expect(visitor.streams.at(-1)).toEqual(expect.any(Number));
});

test('after a long break all is read again: nobody repeats the heartbeats that were missed', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Worked on', boardColumnId: 'To Do' });
  const claim = { ids: [taskId], agent: 'agent 7' };
  const { data } = await organization.call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.locator('.card').getByText('agent 7').waitFor();
  await page.clock.install();
  network.cut({ stayDown: true });
  await page.getByText('Disconnected since').waitFor();
  const beat = { leaseToken: data.lease.token, note: 'Told meanwhile' };
  await organization.call('POST', `/api/work-items/${id}/progress`, beat);
  await page.clock.fastForward(31_000);
  network.restore();
  await page.locator('.card').getByText('Told meanwhile').waitFor();
  expect(visitor.streams.at(-1)).toBe('now');
});

test('a page asks what it has missed as soon as its machine wakes, though the network tells of no break', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  await visitor.page.locator('.column').first().waitFor();
  expect(visitor.streams).toEqual(['now']);
  // No timer has noticed the hour.
  await visitor.page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
  });
  await expect.poll(() => visitor.streams).toEqual(['now', 'now']);
});

test('a page asks for nothing before it follows events: it would be asked for again', async () => {
  const visitor = await stage.visit('notifications');
  const { page } = visitor;
  await page.getByRole('heading', { level: 1 }).waitFor();
  const asked: string[] = [];
  await page.route('**/api/events/stream*', async (route) => {
    await page.getByRole('navigation').waitFor();
    // Once what is drawn has had its turn.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    const paths = visitor.requests.map(({ path }) => path.split('/api/'));
    asked.push(paths.flatMap(([, ofService]) => ofService ?? []).join());
    await route.continue();
  });
  const open = async () => {
    visitor.requests.length = 0;
    await page.goto(`${stage.url}/console/board`);
    await page.locator('.column').first().waitFor();
    return asked.at(-1);
  };
  // For a second: a machine may be slower, now and then.
  await expect.poll(open).toMatch(/me,events\/stream$/);
});

test('a browser that is offline says so at once, and goes on by itself when it is back', async () => {
  const { organization } = stage;
  const { page } = await stage.visit('board');
  await page.locator('.column').first().waitFor();
  const known = await createItem(organization, { title: 'Before' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Before');
  await page.context().setOffline(true);
  await page.getByText('Disconnected since').waitFor({ timeout: 6_000 });
  await organization.call<WorkItem>('PATCH', `/api/work-items/${known.id}`, { title: 'Meanwhile' });
  await page.context().setOffline(false);
  await page.getByText('Disconnected since').waitFor({ state: 'detached' });
  await expect.poll(() => titlesIn(page, 'Backlog')).toContain('Meanwhile');
});

test('what could not be read without the network is read once it is back', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Unread' });
  const { page } = await stage.visit('board?panel=W-T-999', { apiKey: organization.apiKey });
  // The panel's code is there.
  await page.getByText('There is no item W-T-999').first().waitFor();
  await page.context().setOffline(true);
  await page.getByText('Disconnected since').waitFor();
  await page.getByRole('link', { name: taskId }).click();
  await page.getByRole('complementary').getByText('The server is not responding.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('complementary', { name: 'Unread' }).getByRole('heading', { name: 'Unread' }).waitFor();
});

test('a screen whose code cannot be loaded says so in the language of the page, and is there once the connection is back', async () => {
  const { page } = await stage.visit('board', { locale: 'de-DE' });
  await page.locator('.column').first().waitFor();
  await page.route('**/console/assets/costs-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Kosten' }).click();
  const said = page.getByRole('alert').filter({ hasText: 'Das konnte nicht geladen werden.' });
  await said.waitFor();
  expect(await said.locator('p').first().textContent()).toBe(
    'Das konnte nicht geladen werden. Der Server antwortet nicht. Prüfe die Verbindung.',
  );
  await page.context().setOffline(true);
  await page.getByText('keine Verbindung').waitFor();
  await page.unroute('**/console/assets/costs-*.js');
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Kosten' }).waitFor();
});

/** To the page that is open, the one that it would be now is another one. */
const replacePage = (page: Page, at: string) =>
  page.route(at, async (route) => {
    if (route.request().isNavigationRequest()) return route.fallback();
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll(/-[\w-]{8}\./g, '-anothers.');
    return route.fulfill({ response: answer, body });
  });

test('where an upgraded service tells of what a page does not know, it says that there is a new one, and the rest of it stays', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'As ever' });
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.locator('.card').waitFor();
  await replacePage(page, '**/console/board*');
  await page.route(`**/api/work-items/${taskId}`, async (route) => {
    const { data } = await organization.call<WorkItem>('GET', `/api/work-items/${taskId}`);
    return route.fulfill({ json: { success: true, data: { ...data, type: 'initiative' } } });
  });
  await page.getByRole('link', { name: 'As ever' }).click();
  const said = page.getByRole('alert').filter({ hasText: 'There is a new version of this page: reload it.' });
  await said.waitFor();
  await page.locator('.card').waitFor();
  await page.unroute(`**/api/work-items/${taskId}`);
  await said.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('complementary', { name: 'As ever' }).getByRole('heading', { name: 'As ever' }).waitFor();
});

test('a language whose texts are gone with an upgrade is not chosen, and why is said', async () => {
  const { page } = await stage.visit('board');
  await page.locator('.column').first().waitFor();
  await replacePage(page, '**/console/board*');
  await page.route('**/console/assets/tr-*.json', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('button', { name: 'Account of' }).click();
  await page.getByRole('menuitemradio', { name: 'Türkçe' }).click();
  await page.locator('.toast', { hasText: 'There is a new version of this page: reload it.' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
});

test('a page whose files are gone with an upgrade says that there is a new one, and keeps what was typed', async () => {
  const { page } = await stage.visit('board');
  await page.locator('.column').first().waitFor();
  await page.keyboard.press('c');
  const title = page.getByRole('dialog').getByRole('textbox', { name: 'Title', exact: true });
  await title.fill('Begun before');
  await page.keyboard.press('Escape');
  await page.route('**/console/assets/costs-*.js', (route) => route.fulfill({ status: 404 }));
  await replacePage(page, '**/console/costs*');
  await page.getByRole('link', { name: 'Costs' }).click();
  const said = page.getByRole('alert').filter({ hasText: 'There is a new version of this page: reload it.' });
  await said.waitFor();
  await page.unroute('**/console/assets/costs-*.js');
  await said.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Costs', exact: true, level: 1 }).waitFor();
  await page.keyboard.press('c');
  await expect.poll(() => title.inputValue()).toBe('Begun before');
});

test('a page whose code or styles are not there, as between two replicas of different versions, says what to do', async () => {
  const { page } = await stage.visit('board');
  const hint = page.getByText('This page could not be loaded. Please reload it in a moment.');
  for (const file of ['main-*.js', 'console-*.css']) {
    await page.locator('.column').first().waitFor();
    expect(await hint.count()).toBe(0);
    await page.route(`**/console/assets/${file}`, (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await hint.waitFor();
    await page.unroute(`**/console/assets/${file}`);
    await page.reload();
  }
});

test('only the visible part of a long column is rendered, and scrolling leads to its end', async () => {
  const organization = await stage.newOrganization();
  const count = 240;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  for (let from = 0; from < count; from += 24) {
    await Promise.all(numbers.slice(from, from + 24).map((n) => createItem(organization, { title: `Card ${n}` })));
  }
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  const column = page.locator(`.column[aria-label="Backlog, ${count} cards"]`);
  await column.waitFor();
  const seen = new Set<string>();
  const look = async () => {
    const titles = await column.locator('.card-title').allTextContents();
    expect(titles.length).toBeLessThan(60);
    for (const title of titles) seen.add(title);
    await column.locator('.column-cards').evaluate((element) => element.scrollBy(0, 400));
    return seen.size;
  };
  await expect.poll(look, { interval: 20 }).toBe(count);
});

test('a board that is left open keeps nothing of what its cards were before', async () => {
  const organization = await stage.newOrganization();
  const items: WorkItem[] = [];
  for (let i = 0; i < 12; i++) items.push(await createItem(organization, { title: `Card ${i}` }));
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  const devTools = await page.context().newCDPSession(page);
  let changes = 0;
  const keptByChanges = async (times: number) => {
    await devTools.send('HeapProfiler.collectGarbage');
    const { usedSize: before } = await devTools.send('Runtime.getHeapUsage');
    for (let i = 0; i < times; i++) {
      const title = `Change ${++changes}`;
      await organization.call('PATCH', `/api/work-items/${items[changes % items.length]?.id}`, { title });
      await page.getByText(title, { exact: true }).waitFor();
    }
    await devTools.send('HeapProfiler.collectGarbage');
    const { usedSize: after } = await devTools.send('Runtime.getHeapUsage');
    return (after - before) / times;
  };
  // Code is compiled meanwhile, and stays.
  await keptByChanges(40);
  expect(await keptByChanges(40)).toBeLessThan(5_000);
});
