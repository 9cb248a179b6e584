import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();

async function recordSession({ call }: TestOrganization, { id }: WorkItem, totalTokens: number, model = 'gpt-5') {
  const answer = await call('POST', `/api/work-items/${id}/ai-sessions`, { model, provider: 'openai', totalTokens });
  if (!answer.success) throw new Error(answer.error.message);
}

/** An agent takes the task, and reports at its end what it used. */
async function complete({ call }: TestOrganization, { id }: WorkItem, agent: string, totalTokens: number) {
  const claimed = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', { ids: [id], agent });
  const done = await call('POST', `/api/work-items/${id}/ai-completion`, {
    leaseToken: claimed.data.lease.token,
    reviewColumnId: 'Review',
    model: 'gpt-4o',
    totalTokens,
  });
  if (!done.success) throw new Error(done.error.message);
}

test('shows what the work cost by day, epic, model, agent and key, and what is left of the budgets', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('link', { name: 'Costs' }).click();
  await page.getByText('No AI sessions were recorded in this period.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Costs');
  await visitor.isGood('costs-empty');

  const epic = await createItem(organization, { type: 'epic', title: 'Dark mode' });
  const task = await createItem(organization, {
    title: 'Name all colours',
    boardColumnId: 'To Do',
    parentId: epic.id,
  });
  const outside = await createItem(organization, { title: 'Mend the link' });
  await complete(organization, task, 'agent 7', 1_000_000);
  // As a verdict of a person does.
  await recordSession(organization, outside, 0, 'gpt-5-mini');
  await recordSession(organization, outside, 2_000_000);
  await recordSession(organization, outside, 5, 'nobody-knows-it');
  await call('PUT', `/api/work-items/${epic.id}/budget`, { limitUsd: 1 });
  await call('PUT', `/api/projects/${projectId}/budget`, { limitUsd: 12.5, period: 'month' });
  await page.reload();

  const part = (name: string) => page.getByRole('region', { name, exact: true });
  const row = (of: string, name: string) => part(of).getByRole('row').filter({ hasText: name });
  // According to genai-prices: 4.375 for the agent's million tokens, 6.875 for the two million.
  await page.getByRole('definition').getByText('$11.25').waitFor();
  await page.getByText('1 session has no known price').waitFor();
  await row('By epic', 'Dark mode').getByText('$4.38').waitFor();
  await row('By epic', 'No epic').getByText('$6.88').waitFor();
  await row('By epic', 'No epic').getByText('61%').waitFor();
  await row('By model', 'gpt-4o').getByText('$4.38').waitFor();
  await row('By model', 'nobody-knows-it').getByText('Unknown').waitFor();
  expect(await part('By model').getByText('gpt-5-mini').count()).toBe(0);
  await row('By agent', 'agent 7').getByText('1m tokens').waitFor();
  await row('By agent', 'Not recorded').getByText('$6.88').waitFor();
  expect(await part('By key').getByRole('row').count()).toBe(2);
  const budgets = part('Budgets').getByRole('listitem');
  await budgets.filter({ hasText: 'Dark mode' }).getByText('Used up').waitFor();
  await budgets.filter({ hasText: 'The project' }).getByText('$11.25 of $12.50 · $1.25 left').waitFor();
  // Whatever is closest to running out comes first.
  expect(await budgets.first().textContent()).toContain(epic.taskId);
  await visitor.isGood('costs');

  await row('By epic', 'Dark mode').getByRole('link', { name: epic.taskId }).click();
  await page.getByRole('heading', { level: 1, name: 'Dark mode' }).waitFor();
});

test('what is spent meanwhile appears on an event alone', async () => {
  const organization = await stage.newOrganization();
  const task = await createItem(organization, { title: 'One' });
  const { page, complaints } = await stage.visit('costs', { apiKey: organization.apiKey });
  await page.getByText('No AI sessions were recorded in this period.').waitFor();
  await recordSession(organization, task, 1_000_000);
  await page.getByRole('definition').getByText('$3.44').waitFor();
  await recordSession(organization, task, 1_000_000);
  await page.getByRole('definition').getByText('$6.88').waitFor();
  expect(complaints).toEqual([]);
});

test('a day’s figures are shown on hover, with the arrow keys, and in a table', async () => {
  const organization = await stage.newOrganization();
  await recordSession(organization, await createItem(organization, { title: 'One' }), 1_000_000);
  const { page, complaints } = await stage.visit('costs', { apiKey: organization.apiKey });
  const days = page.getByRole('slider', { name: 'By day' });
  const said = () => days.getAttribute('aria-valuetext');
  await expect.poll(said).toBe('$0.115 a day on average');
  await days.focus();
  await page.keyboard.press('End');
  await expect.poll(said).toMatch(/2\d{3}: \$3\.44 · 1m tokens · 1 session$/);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(said).toMatch(/2\d{3}: nothing$/);
  await page.getByText(/: nothing$/).waitFor();

  const box = await days.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart has no place.');
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.getByText('1m tokens · 1 session').waitFor();
  await page.mouse.move(0, 0);
  await page.getByText('a day on average').waitFor();

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const table = page.getByRole('region', { name: 'By day' }).getByRole('table');
  await table.getByText('$3.44').waitFor();
  expect(await table.getByRole('row').count()).toBe(2);
  expect(complaints).toEqual([]);
});

test('period and project are in the address, and the period survives choosing another project', async () => {
  const organization = await stage.newOrganization();
  const { data: other } = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Other' });
  await recordSession(organization, await createItem(organization, { title: 'One' }), 1_000_000);
  const visitor = await stage.visit(`costs?project=${organization.projectId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const slider = (at: Visitor['page']) => at.getByRole('slider', { name: 'By day' });
  await expect.poll(() => slider(page).getAttribute('aria-valuemax')).toBe('30');
  await choose(page, 'Period', 'Last 7 days');
  await expect.poll(() => slider(page).getAttribute('aria-valuemax')).toBe('7');
  const sent = await visitor.openTab(page.url().split('/console/')[1] as string);
  await expect.poll(() => slider(sent.page).getAttribute('aria-valuemax')).toBe('7');

  await choose(page, 'Period', 'Custom range');
  // Digit by digit, of which a browser reports each of a year's as a date.
  const dates: string[] = [];
  page.on('request', (request) => dates.push(new URL(request.url()).searchParams.get('from') ?? '2026'));
  await page.getByLabel('From').pressSequentially('01012026');
  await expect.poll(() => page.url()).toContain('from=2026-01-01');
  expect(dates.filter((date) => !date.startsWith('2026'))).toEqual([]);
  await page.getByLabel('To').pressSequentially('01312026');
  await page.getByText('No AI sessions were recorded in this period.').waitFor();
  expect(page.url()).toMatch(/from=2026-01-01&to=2026-01-31/);
  // The other end follows where it would be on the wrong side.
  await page.getByLabel('From').fill('2026-02-02');
  await expect.poll(() => page.url()).toMatch(/from=2026-02-02&to=2026-02-02/);
  await page.getByLabel('To').fill('2026-01-31');
  await expect.poll(() => page.url()).toMatch(/from=2026-01-31&to=2026-01-31/);
  // A year that is not finished is dropped when one leaves.
  await page.getByLabel('From').pressSequentially('0101202');
  await page.getByLabel('From').blur();
  expect(await page.getByLabel('From').inputValue()).toBe('2026-01-01');
  expect(page.url()).toMatch(/from=2026-01-01&to=2026-01-31/);
  await page.getByRole('button', { name: /^Project / }).click();
  await page.getByRole('menuitemradio', { name: 'Other' }).click();
  await expect.poll(() => page.url()).toContain(other.id);
  expect(page.url()).toMatch(/from=2026-01-01&to=2026-01-31/);
  await visitor.isGood('costs-chosen-period');
});

test('the last days of a page that is left open end with the day that it is then', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('costs', { apiKey: organization.apiKey });
  await page.getByText('No AI sessions were recorded in this period.').waitFor();
  const asked = page.waitForRequest(/\/api\/ai-usage\?.*to=2100-01-01/);
  await page.clock.setSystemTime('2100-01-01T00:00:00Z');
  await asked;
});

test('loading, a failure and a broken connection are reported', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  const held = Promise.withResolvers<void>();
  await page.route('**/api/ai-usage?*', async (route) => {
    await held.promise;
    await route.abort();
  });
  await page.goto(`${stage.url}/console/costs`);
  await page.getByRole('heading', { name: 'Costs' }).waitFor();
  await page.getByText('Loading…').waitFor();
  await visitor.isGood('costs-loading');
  held.resolve();
  await page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
  await visitor.isGood('costs-failed');
  await page.unroute('**/api/ai-usage?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No AI sessions were recorded in this period.').waitFor();

  await page.route('**/api/events/stream*', (route) => route.abort());
  await recordSession(organization, await createItem(organization, { title: 'One' }), 1_000_000);
  await page.reload();
  await page.getByText('Disconnected since').waitFor();
  await page.getByText('$3.44', { exact: true }).first().waitFor();
  await visitor.isGood('costs-disconnected');
});
