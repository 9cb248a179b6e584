import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const titlesIn = (page: Page, name: string) => column(page, name).getByRole('link').allTextContents();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const lines = (page: Page, kind: string) => page.locator(`.plan-line-${kind}`).count();

/** An epic whose six tasks are handed over, in progress, ready and waiting. */
async function newEpic(organization: TestOrganization) {
  const { call } = organization;
  const epic = await createItem(organization, { type: 'epic', title: 'Dark mode' });
  const feature = await createItem(organization, { type: 'feature', title: 'Colours', parentId: epic.id });
  const newTask = (title: string, dependsOn: readonly WorkItem[] = [], more: Record<string, unknown> = {}) =>
    createItem(organization, {
      ...{ title, parentId: feature.id, boardColumnId: 'To Do', dependsOn: dependsOn.map(({ taskId }) => taskId) },
      ...more,
    });
  const named = await newTask('Name all colours');
  const chosen = await newTask('Choose a palette', [named]);
  const used = await newTask('Use the palette', [chosen]);
  const noted = await newTask('Write the release note', [], { priority: 'high' });
  const translated = await newTask('Translate the note', [noted]);
  const published = await newTask('Publish', [used, translated]);

  await call('POST', `/api/work-items/${named.id}/ai-sessions`, {
    model: 'gpt-5',
    provider: 'openai',
    totalTokens: 1_000_000,
  });
  await call('POST', `/api/work-items/${named.id}/move`, { boardColumnId: 'Done' });
  await call('PUT', `/api/work-items/${epic.id}/budget`, { limitUsd: 5 });
  const claim = { ids: [chosen.id], agent: 'agent 7' };
  const { data } = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const told = { leaseToken: data.lease.token, progress: 0.5 };
  const beat = await call('POST', `/api/work-items/${chosen.id}/progress`, told);
  if (!beat.success) throw new Error(beat.error.message);
  return { epic, feature, named, chosen, used, noted, translated, published };
}

test('shows what can be done when, who is doing it, what it waits for, and what it costs', async () => {
  const organization = await stage.newOrganization();
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByText('There are no epics in this project yet.').waitFor();
  await visitor.isGood('plan-none');
  await column(page, 'Epics').getByRole('button', { name: 'New work item' }).click();
  const dialog = page.getByRole('dialog', { name: 'New work item' });
  expect(await dialog.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('Epic');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  const { epic, feature, chosen, used, published } = await newEpic(organization);
  await page.reload();
  await column(page, 'Features').getByRole('link', { name: 'Colours' }).waitFor();
  await visitor.isGood('plan-chooser');
  await column(page, 'Epics').getByRole('link', { name: 'Dark mode' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dark mode' }).waitFor();
  await page.getByText('Choose a palette').waitFor();
  expect(await focused(page)).toBe('Dark mode');

  expect(await titlesIn(page, 'Handed over')).toEqual(['Name all colours']);
  expect(await titlesIn(page, 'At work')).toEqual(['Choose a palette']);
  expect(await titlesIn(page, 'Wave 1: ready')).toEqual(['Write the release note']);
  expect(await titlesIn(page, 'Wave 2')).toEqual(['Use the palette', 'Translate the note']);
  expect(await titlesIn(page, 'Wave 3')).toEqual(['Publish']);
  const atWork = column(page, 'At work');
  for (const text of ['agent 7', '50%']) await atWork.getByText(text).waitFor();
  await column(page, 'Wave 2').getByText(`Waits for ${chosen.taskId}`).waitFor();
  await column(page, 'Wave 3')
    .getByText(/^Waits for W-T-\d+, W-T-\d+$/)
    .waitFor();
  const path = page.locator('.plan-critical');
  expect(await path.textContent()).toBe(
    `Critical path, 3 tasks: ${chosen.taskId} → ${used.taskId} → ${published.taskId}`,
  );
  expect([await lines(page, 'met'), await lines(page, 'open'), await lines(page, 'critical')]).toEqual([1, 2, 2]);
  const facts = page.getByRole('definition');
  for (const text of ['1 of 6', '$3.44 of $5.00']) await facts.getByText(text).waitFor();
  await column(page, 'Handed over').getByText('$3.44').waitFor();
  await visitor.isGood('plan');

  // On a phone the waves are stacked.
  await page.setViewportSize({ width: 375, height: 812 });
  const tops = async () => {
    const boxes = await page
      .locator('.plan-column')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()));
    return boxes.map(({ left, top }) => [left, top] as const);
  };
  await expect.poll(async () => new Set((await tops()).map(([left]) => left)).size).toBe(1);
  expect((await tops()).map(([, top]) => top)).toEqual((await tops()).map(([, top]) => top).toSorted((a, b) => a - b));
  await page.setViewportSize({ width: 1440, height: 900 });

  // The plan of the feature covers the same tasks; that of something without tasks says so.
  await page.goto(`${stage.url}/console/items/${feature.taskId}`);
  await page.getByRole('article').getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Colours' }).waitFor();
  await page.getByText(`Budget of ${epic.taskId}`).waitFor();
  expect(await page.getByText('Used up').count()).toBe(0);
  await organization.call('PUT', `/api/work-items/${epic.id}/budget`, { limitUsd: 0 });
  await page.getByText('Used up').waitFor();
  const bar = page.locator(`progress[aria-label="Budget of ${epic.taskId}"]`);
  expect(await bar.getAttribute('class')).toBe('meter meter-bad');
  await visitor.isGood('plan-used-up');
  const empty = await createItem(organization, { type: 'feature', title: 'Nothing yet' });
  await page.goto(`${stage.url}/console/plan/${empty.taskId}`);
  await page.getByText('There are no tasks below it yet.').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'New work item' }).waitFor();
  await visitor.isGood('plan-empty');
});

test('arrows lead from task to task, and what a task waits for is highlighted', async () => {
  const organization = await stage.newOrganization();
  const { epic, chosen } = await newEpic(organization);
  const { page, complaints } = await stage.visit(`plan/${epic.taskId}`, { apiKey: organization.apiKey });
  await page.locator('.plan-line-critical').first().waitFor();
  await page.locator('[data-task] a[tabindex="0"]').focus();
  expect(await focused(page)).toBe('Name all colours');
  expect(await page.locator('[data-task] a[tabindex="0"]').count()).toBe(1);
  const way = [
    ['ArrowRight', 'Choose a palette'],
    ['ArrowDown', 'Write the release note'],
    ['ArrowRight', 'Translate the note'],
    ['ArrowUp', 'Use the palette'],
    ['ArrowDown', 'Translate the note'],
  ] as const;
  for (const [key, title] of way) {
    await page.keyboard.press(key);
    await expect.poll(() => focused(page)).toBe(title);
  }
  // Its own two lines, out of five.
  await expect.poll(() => page.locator('.plan-line-dim').count()).toBe(3);
  await page.locator(`[data-task="${chosen.taskId}"]`).hover();
  await expect.poll(() => page.locator('.plan-line:not(.plan-line-dim)').count()).toBe(2);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => focused(page)).toBe('Publish');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Publish' }).waitFor();
  expect(complaints).toEqual([]);
});

test('what others do changes the plan on an event alone', async () => {
  const organization = await stage.newOrganization();
  const { epic, feature, noted } = await newEpic(organization);
  const { page, complaints } = await stage.visit(`plan/${epic.taskId}`, { apiKey: organization.apiKey });
  await column(page, 'Wave 3').waitFor();
  await organization.call('POST', `/api/work-items/${noted.id}/move`, { boardColumnId: 'Done' });
  await expect.poll(() => titlesIn(page, 'Handed over')).toContain('Write the release note');
  await expect.poll(() => titlesIn(page, 'Wave 1: ready')).toEqual(['Translate the note']);
  await createItem(organization, { title: 'Thought of later', parentId: feature.id, boardColumnId: 'To Do' });
  await expect.poll(() => titlesIn(page, 'Wave 1: ready')).toContain('Thought of later');
  await page.getByRole('definition').getByText('2 of 7').waitFor();
  expect(complaints).toEqual([]);
});

test('a cycle is shown as one', async () => {
  const organization = await stage.newOrganization();
  const { epic, used, translated, published } = await newEpic(organization);
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  // The service refuses to create one; earlier versions stored them, and then it answers like this.
  await page.route('**/api/context/implement', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const [one, other] = [used.taskId, translated.taskId];
    for (const task of answer.data.tasks) {
      if (task.taskId === one) Object.assign(task, { state: 'blocked', dependsOn: [other], blockedBy: [other] });
      if (task.taskId === other) Object.assign(task, { state: 'blocked', dependsOn: [one], blockedBy: [one] });
      if (task.taskId === published.taskId) Object.assign(task, { state: 'blocked', blockedBy: [one, other] });
    }
    answer.data.cycles = [[one, other]];
    answer.data.waves = answer.data.waves.slice(0, 1);
    await route.fulfill({ response, json: answer });
  });
  await page.goto(`${stage.url}/console/plan/${epic.taskId}`);
  const alert = page.getByRole('alert');
  await alert.getByText('A cycle:').waitFor();
  expect(await alert.textContent()).toContain(`${used.taskId} ⇄ ${translated.taskId} wait for each other`);
  expect(await titlesIn(page, 'Blocked')).toEqual(['Use the palette', 'Translate the note', 'Publish']);
  expect(await lines(page, 'cycle')).toBe(2);
  await visitor.isGood('plan-cycle');
});

test('a search is in the address, and what is missing, fails or breaks off is reported', async () => {
  const organization = await stage.newOrganization();
  const { epic } = await newEpic(organization);
  const visitor = await stage.visit('plan?q=dark', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByRole('link', { name: 'Dark mode' }).waitFor();
  await column(page, 'Features').getByText('Nothing matches the search.').waitFor();
  await page.getByLabel('Search').fill('colours');
  await page.getByRole('link', { name: 'Colours' }).waitFor();
  expect(page.url()).toContain('q=colours');

  await page.goto(`${stage.url}/console/plan/W-E-99999`);
  await page.getByRole('heading', { name: 'There is no item W-E-99999' }).waitFor();
  await visitor.isGood('plan-gone');

  const held = Promise.withResolvers<void>();
  await page.route('**/api/context/implement', async (route) => {
    await held.promise;
    await route.abort();
  });
  await page.goto(`${stage.url}/console/plan/${epic.taskId}`);
  await page.getByRole('heading', { name: 'Dark mode' }).waitFor();
  await page.getByText('Loading…').waitFor();
  await visitor.isGood('plan-loading');
  held.resolve();
  await page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor({ timeout: 60_000 });
  await visitor.isGood('plan-failed');
  await page.unroute('**/api/context/implement');
  await page.getByRole('button', { name: 'Try again' }).click();
  await column(page, 'Wave 3').waitFor();

  await page.route('**/api/events/stream*', (route) => route.abort());
  await page.reload();
  await page.getByText('Disconnected since').waitFor();
  await column(page, 'Wave 3').waitFor();
  await visitor.isGood('plan-disconnected');
});

test('a line that skips a wave, onward or back, leads around the cards of the one that it skips', async () => {
  const organization = await stage.newOrganization();
  const epic = await createItem(organization, { type: 'epic', title: 'Dark mode' });
  const place = { parentId: epic.id, boardColumnId: 'To Do' };
  const [first, second, third] = ['First', 'Second', 'Third'] as const;
  const { taskId: a } = await createItem(organization, { title: first, ...place });
  const { taskId: b } = await createItem(organization, { title: second, ...place, dependsOn: [a] });
  for (const title of ['Beside', 'Below']) await createItem(organization, { title, ...place, dependsOn: [a] });
  const { taskId: c } = await createItem(organization, { title: third, ...place, dependsOn: [a, b] });
  await createItem(organization, { title: 'Handed over too early', ...place, boardColumnId: 'Review', dependsOn: [c] });
  const { page } = await stage.visit(`plan/${epic.taskId}`, { apiKey: organization.apiKey });
  await expect.poll(() => page.locator('.plan-line path').count()).toBe(6);
  const crossed = await page.evaluate(() => {
    const cards = [...document.querySelectorAll('[data-task]')].map((card) => card.getBoundingClientRect());
    return [...document.querySelectorAll<SVGPathElement>('.plan-line path')].filter((path) => {
      const matrix = path.getScreenCTM() ?? new DOMMatrix();
      for (let length = 0; length <= path.getTotalLength(); length++) {
        const { x, y } = path.getPointAtLength(length).matrixTransform(matrix);
        if (cards.some(({ left, right, top, bottom }) => x > left + 1 && x < right - 1 && y > top && y < bottom))
          return true;
      }
      return false;
    }).length;
  });
  expect(crossed).toBe(0);
});
