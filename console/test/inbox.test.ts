import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
let organization: TestOrganization;
let source: Source;
beforeAll(async () => {
  organization = stage.organization;
  const input = {
    type: 'server',
    name: 'Shop',
    requireCaptcha: false,
    rateLimit: { perIp: 1_000, perSource: 1_000, windowSeconds: 1 },
  };
  source = (await organization.call<Source>('POST', '/api/feedback/sources', input)).data;
});

/** One address gets no more than sixty a minute. */
let token: string | undefined;
async function submit(message: string, more: Record<string, unknown> = {}): Promise<string> {
  const { publicKey } = source;
  const path = `/feedback/widget/bootstrap?publicKey=${publicKey}`;
  token ??= (await organization.call<{ token: string }>('GET', path)).data.token;
  const answer = await organization.call<{ id: string }>('POST', '/feedback/ingest', {
    publicKey,
    token,
    message,
    ...more,
  });
  return answer.data.id;
}
const stored = async (id: string) => (await organization.call<FeedbackItem>('GET', `/api/feedback/items/${id}`)).data;
const chosen = ({ page }: Visitor) => page.getByRole('article');

test('ten submissions are triaged with the keyboard alone', async () => {
  const visitor = await stage.visit('inbox');
  const { page } = visitor;
  await page.getByText('There is no feedback here.').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Feedback sources' }).waitFor();
  await visitor.isGood('inbox-empty');
  const ids: string[] = [];
  for (let at = 1; at <= 10; at++) ids.push(await submit(`Submission number ${at}`, { category: 'bug' }));
  await page.reload();
  await page.getByRole('button', { name: 'New 10' }).waitFor();
  await chosen(visitor).getByText('Submission number 10').waitFor();
  await visitor.isGood('inbox');
  // Newest first. Each key sets a status and moves to the next.
  const keys = ['t', 'r', 'd', 't', 'r', 'd', 't', 'r', 'd', 't'];
  for (const [at, key] of keys.entries()) {
    await chosen(visitor)
      .getByText(`Submission number ${10 - at}`, { exact: true })
      .waitFor();
    await page.keyboard.press(key);
  }
  await page.getByRole('button', { name: 'New 0' }).waitFor();
  await page.getByRole('button', { name: 'Triaged 4' }).waitFor();
  const names: Record<string, string> = { t: 'triaged', r: 'resolved', d: 'dismissed' };
  for (const [at, id] of ids.toReversed().entries()) {
    expect((await stored(id)).status).toBe(names[keys[at] ?? '']);
  }
  await page.keyboard.press('k');
  await chosen(visitor).getByText('Submission number 2', { exact: true }).waitFor();
});

test('a submission is linked to an idea, or turned into one', async () => {
  const { boardId, columns, projectId } = organization;
  const idea = { type: 'idea', title: 'Dark colours', projectId, boardId, boardColumnId: columns.Backlog };
  await organization.call<WorkItem>('POST', '/api/work-items', idea);
  const [one, two] = [await submit('Please make it darker'), await submit('Shortcuts would help')];
  const visitor = await stage.visit(`inbox?item=${one}`);
  const { page } = visitor;
  await chosen(visitor).getByText('Please make it darker').waitFor();
  await page.keyboard.press('l');
  await page.getByLabel('Search for an idea').fill('dark');
  await page.getByRole('button', { name: 'Dark colours' }).waitFor();
  await visitor.isGood('inbox-link');
  await page.getByRole('button', { name: 'Dark colours' }).click();
  await chosen(visitor).getByRole('link', { name: 'Dark colours' }).waitFor();

  await page.getByRole('button', { name: 'Shortcuts would help' }).click();
  await chosen(visitor).getByText('Shortcuts would help').waitFor();
  await page.keyboard.press('i');
  await page.getByLabel('Title').waitFor();
  await visitor.isGood('inbox-idea');
  await page.getByRole('button', { name: 'Create and link' }).click();
  await chosen(visitor)
    .getByRole('link', { name: /Shortcuts would help/ })
    .waitFor();
  expect((await stored(two)).status).toBe('linked');
});

test('a link is taken back, also by undoing it, and when its idea was deleted', async () => {
  const { call, boardId, columns, projectId } = organization;
  const fields = { type: 'idea', title: 'Wrong one', projectId, boardId, boardColumnId: columns.Backlog };
  const { data: idea } = await call<WorkItem>('POST', '/api/work-items', fields);
  const id = await submit('Belongs elsewhere');
  const links = async () => (await stored(id)).linkedWorkItemIds;
  const visitor = await stage.visit(`inbox?item=${id}`);
  const { page } = visitor;
  await chosen(visitor).getByText('Belongs elsewhere').waitFor();
  await page.keyboard.press('l');
  await page.getByRole('button', { name: 'Wrong one' }).click();
  await chosen(visitor).getByRole('link', { name: 'Wrong one' }).waitFor();
  await chosen(visitor)
    .getByRole('button', { name: `Remove link: ${idea.taskId}` })
    .click();
  await chosen(visitor).getByRole('link', { name: 'Wrong one' }).waitFor({ state: 'detached' });
  expect(await stored(id)).toMatchObject({ status: 'triaged', linkedWorkItemIds: [] });
  await page.keyboard.press('z');
  await chosen(visitor).getByRole('link', { name: 'Wrong one' }).waitFor();
  expect(await links()).toEqual([idea.id]);
  await call('DELETE', `/api/work-items/${idea.id}`);
  await chosen(visitor).getByText('Deleted idea').waitFor();
  await visitor.isGood('inbox-deleted-idea');
  await chosen(visitor).getByRole('button', { name: 'Remove link: Deleted idea' }).click();
  await expect.poll(links).toEqual([]);
});

test('an idea whose link did not arrive is linked the next time, and not made again', async () => {
  const { call, projectId } = organization;
  const id = await submit('Once is enough');
  const { page } = await stage.visit(`inbox?item=${id}`);
  await page.getByRole('article').getByText('Once is enough').waitFor();
  const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
  const refuse = (route: Route) => route.fulfill({ status: 429, json: { success: false, error } });
  await page.route('**/links', refuse);
  await page.keyboard.press('i');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').press('Enter');
  await dialog.getByText('Try again shortly.').waitFor();
  await page.unroute('**/links', refuse);
  await dialog.getByLabel('Title').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByRole('article')
    .getByRole('link', { name: /Once is enough/ })
    .waitFor();
  const search = `/api/work-items?projectId=${projectId}&search=${encodeURIComponent('Once is enough')}`;
  expect((await call<{ workItems: WorkItem[] }>('GET', search)).data.workItems.length).toBe(1);
});

test('z takes a status back, unless somebody else has set another one since', async () => {
  const [older, newer] = [await submit('The older one'), await submit('The newer one')];
  const visitor = await stage.visit(`inbox?item=${newer}`);
  const { page } = visitor;
  await chosen(visitor).getByText('The newer one').waitFor();
  await page.keyboard.press('d');
  await chosen(visitor).getByText('The older one').waitFor();
  await page.keyboard.press('r');
  await page.getByText('Now: Resolved').waitFor();
  await organization.call('PATCH', `/api/feedback/items/${older}`, { status: 'triaged' });
  await page.keyboard.press('z');
  await page.getByText('Somebody else has changed it since.').waitFor();
  await page.keyboard.press('z');
  await expect.poll(async () => (await stored(newer)).status).toBe('new');
  expect((await stored(older)).status).toBe('triaged');
});

test('what is written from right to left is shown from right to left', async () => {
  const id = await submit('السعر خطأ!');
  const visitor = await stage.visit(`inbox?item=${id}`);
  const shown = visitor.page.getByText('السعر خطأ!');
  await shown.nth(1).waitFor();
  const directions = await shown.evaluateAll((all) => all.map((element) => getComputedStyle(element).direction));
  expect(directions).toEqual(['rtl', 'rtl']);
});

test('what the public wrote is plain text, and is erased after a confirmation', async () => {
  const message =
    '<img src=x onerror=alert(1)> [click](javascript:alert(1)) https://evil.example <script>alert(1)</script>';
  const id = await submit(message, { email: 'sender@example.com' });
  const visitor = await stage.visit('inbox');
  const { page } = visitor;
  await chosen(visitor).getByText(message).waitFor();
  expect(await chosen(visitor).locator('a, img, script').count()).toBe(0);
  await page.getByRole('button', { name: 'Erase' }).click();
  await visitor.isGood('inbox-erase');
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await chosen(visitor).getByText('What was written here has been erased.').waitFor();
  expect(await stored(id)).toMatchObject({ message: '', email: null });

  const ofOne = { email: 'other@example.com' };
  const both = [await submit('The first of two', ofOne), await submit('The second of two', ofOne)];
  await page.getByRole('button', { name: 'The second of two' }).click();
  await chosen(visitor).getByText('The second of two').waitFor();
  await page.keyboard.press('x');
  await page.getByLabel('Also everything else from other@example.com').check();
  await visitor.isGood('inbox-erase-all');
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByText('2 submissions erased.').waitFor();
  for (const each of both) expect((await stored(each)).message).toBe('');
});

test('filters are in the address, a read-only user is offered nothing else, and a failure says so', async () => {
  await submit('A question about prices', { category: 'question' });
  const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'A reader',
    permissions: ['feedback:read'],
  });
  const visitor = await stage.visit('inbox?category=question&q=prices', { apiKey: data.key });
  const { page } = visitor;
  await chosen(visitor).getByText('A question about prices').waitFor();
  expect(await page.getByRole('listitem').count()).toBeGreaterThan(0);
  expect(await chosen(visitor).getByRole('button').count()).toBe(0);
  await page.getByLabel('Search').fill('nothing-like-this');
  await page.getByText('There is no feedback here.').waitFor();
  expect(page.url()).toContain('q=nothing-like-this');

  await page.route('**/api/feedback/items?*', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
  await visitor.isGood('inbox-failed');
});

const PAGE = 50;
const readsOf = ({ page }: Visitor) => {
  const reads: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/feedback/items' && url.searchParams.get('limit') === String(PAGE)) reads.push(url);
  });
  return reads;
};

test('while much comes in, the next page arrives, and what was loaded is read again no more often than it may', async () => {
  for (let at = 0; at < 2 * PAGE; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, nth) => submit(`One of many: ${at + nth}`)));
  }
  const visitor = await stage.visit('inbox?q=many');
  const { page } = visitor;
  const entries = page.getByRole('list', { name: 'Feedback' }).getByRole('listitem');
  await expect.poll(() => entries.count()).toBe(PAGE);

  const arrives = Promise.withResolvers<void>();
  await page.route(/\/api\/feedback\/items\?.*cursor=/, async (route) => {
    await arrives.promise;
    await route.continue().catch(() => {});
  });
  const asked = page.waitForRequest(/\/api\/feedback\/items\?.*cursor=/);
  await page.getByRole('button', { name: 'More' }).click();
  await asked;
  // Once all is counted again, the page knows of it.
  const counted = page.waitForRequest(/\/api\/feedback\/items\?.*limit=100/);
  await submit('The newest of many');
  await counted;
  arrives.resolve();
  await page.getByText('The newest of many').first().waitFor();
  await expect.poll(() => entries.count()).toBeGreaterThan(PAGE);
  await expect.poll(() => page.getByRole('button', { name: 'More' }).count()).toBe(1);

  const reads = readsOf(visitor);
  const beganMs = performance.now();
  for (let at = 0; at < 40; at++) await submit(`Still more of many: ${at}`);
  await page.getByText('Still more of many: 39').first().waitFor();
  const rounds = reads.filter(({ searchParams }) => !searchParams.has('cursor')).length;
  expect(rounds).toBeGreaterThan(0);
  expect(rounds).toBeLessThanOrEqual(1 + (performance.now() - beganMs) / (2 * 200));
});

test('the address of a submission shows that one, however far down it is, and nothing in its place once it is gone', async () => {
  await submit('Further down: the first');
  for (let at = 0; at < PAGE; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, nth) => submit(`Further down: ${at + nth}`)));
  }
  const visitor = await stage.visit('inbox?q=further');
  const { page } = visitor;
  const { data } = await organization.call<{ items: FeedbackItem[] }>(
    'GET',
    '/api/feedback/items?search=further&limit=100',
  );
  const far = data.items.at(-1);
  if (!far) throw new Error('There is no feedback.');
  await page.goto(`${stage.url}/console/inbox?q=further&item=${far.id}`);
  await chosen(visitor).getByText(far.message, { exact: true }).waitFor();
  await page.keyboard.press('t');
  await expect.poll(async () => (await stored(far.id)).status).toBe('triaged');
  const first = page.getByRole('list', { name: 'Feedback' }).getByRole('button').first();
  await expect.poll(() => first.getAttribute('aria-current')).toBe('true');
  await chosen(visitor)
    .getByText(data.items[0]?.message ?? '', { exact: true })
    .waitFor();

  await page.goto(`${stage.url}/console/inbox?item=01990000-0000-7000-8000-000000000000`);
  await page.getByRole('alert').waitFor();
  expect(await chosen(visitor).count()).toBe(0);
  await page.keyboard.press('j');
  await chosen(visitor).waitFor();
});

test('what one reads stays until one goes on, though somebody else takes it out of the list', async () => {
  const ids: string[] = [];
  for (const nth of ['first', 'second', 'third']) ids.push(await submit(`Read me: ${nth}`));
  const visitor = await stage.visit('inbox?status=new&q=read');
  const { page } = visitor;
  await chosen(visitor).getByText('Read me: third').waitFor();
  await organization.call('PATCH', `/api/feedback/items/${ids[2]}`, { status: 'triaged' });
  await page.getByRole('list', { name: 'Feedback' }).getByText('Read me: third').waitFor({ state: 'detached' });
  await chosen(visitor).getByRole('button', { name: 'Triaged', pressed: true }).waitFor();
  await page.keyboard.press('d');
  await expect.poll(async () => (await stored(ids[2] ?? '')).status).toBe('dismissed');
  await chosen(visitor).getByText('Read me: second').waitFor();
  expect((await stored(ids[1] ?? '')).status).toBe('new');
  // Nor does it outlast the filters that it was found with.
  await page
    .getByRole('button', { name: /^Dismissed/ })
    .first()
    .click();
  await chosen(visitor).getByText('Read me: third').waitFor();
});

test('on a phone, a submission takes the place of the list, and back is where one was', async () => {
  await submit('The one below');
  await submit('The one above');
  const visitor = await stage.visit('inbox', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = visitor;
  const list = page.getByRole('list', { name: 'Feedback' });
  const entry = list.getByRole('button', { name: 'The one below' });
  await list.waitFor();
  expect(await chosen(visitor).isVisible()).toBe(false);
  await entry.tap();
  await chosen(visitor).getByText('The one below').waitFor();
  expect(await list.isVisible()).toBe(false);
  const isInside = () => page.evaluate(() => document.activeElement?.contains(document.querySelector('article')));
  expect(await isInside()).toBe(true);
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  await page.getByRole('button', { name: 'Inbox' }).tap();
  await expect.poll(() => entry.evaluate((element) => element === document.activeElement)).toBe(true);
  await entry.tap();
  await chosen(visitor).waitFor();
  await page.goBack();
  await list.waitFor();
  expect(await chosen(visitor).isVisible()).toBe(false);
  await visitor.isGood('inbox-phone');
  await entry.tap();
  await visitor.isGood('inbox-phone-one');
});

test('on a phone, a swipe over a row shows what can be done with it, and a tap does that', async () => {
  const id = await submit('Swipe me');
  const visitor = await stage.visit('inbox', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = visitor;
  const row = page.getByRole('listitem').filter({ hasText: 'Swipe me' });
  const dismiss = row.getByRole('button', { name: 'Dismissed', exact: true });
  const isInView = async () => {
    const box = await dismiss.boundingBox();
    return box !== null && box.x + box.width <= 390;
  };
  await row.waitFor();
  expect(await isInView()).toBe(false);
  const { x = 0, y = 0, width = 0, height = 0 } = (await row.boundingBox()) ?? {};
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', by = 0) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: x + width - 20 - by, y: y + height / 2 }],
    });
  await touch('touchStart');
  for (let by = 20; by <= 240; by += 20) await touch('touchMove', by);
  await touch('touchEnd');
  await expect.poll(isInView).toBe(true);
  await dismiss.tap();
  await page.getByText('Now: Dismissed').waitFor();
  expect((await stored(id)).status).toBe('dismissed');
  await expect.poll(isInView).toBe(false);
  expect(await chosen(visitor).isVisible()).toBe(false);
});

test('a status that one sets is shown without reading the list again', async () => {
  const id = await submit('Alone in the list');
  const visitor = await stage.visit('inbox?status=new&q=alone');
  const { page } = visitor;
  await chosen(visitor).getByText('Alone in the list').waitFor();
  // No event tells of it.
  await page.route('**/api/feedback/items?*', () => {});
  await page.keyboard.press('t');
  await page.getByText('Now: Triaged').waitFor();
  await page.getByText('There is no feedback here.').waitFor();
  expect((await stored(id)).status).toBe('triaged');
});

test('what was begun of an idea is there again', async () => {
  const id = await submit('Remember me');
  const { page } = await stage.visit(`inbox?item=${id}`);
  await page.getByRole('article').getByText('Remember me').waitFor();
  await page.keyboard.press('i');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('A better title');
  await dialog.getByLabel('Description').fill('Begun');
  await page.reload();
  await page.getByRole('article').getByText('Remember me').waitFor();
  await page.keyboard.press('i');
  expect(await dialog.getByLabel('Title').inputValue()).toBe('A better title');
  expect(await dialog.getByLabel('Description').inputValue()).toBe('Begun');
  await dialog.getByRole('button', { name: 'Create and link' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('i');
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Remember me');
  expect(await dialog.getByLabel('Description').inputValue()).toBe('');
});

test('the title that an idea begins with ends between two characters, not within an emoji', async () => {
  const id = await submit(`${'x'.repeat(119)}😀, and more`);
  const { page } = await stage.visit(`inbox?item=${id}`);
  await page.getByRole('article').waitFor();
  await page.keyboard.press('i');
  expect(await page.getByRole('dialog').getByLabel('Title').inputValue()).toBe(`${'x'.repeat(119)}😀`);
});
