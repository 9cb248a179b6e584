import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

/** What has the focus, by what it is called; or what is wrong with it: nothing has it, or it is out of view or behind something. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    if (element === document.body) return 'nothing';
    const label = (element as HTMLInputElement).labels?.[0];
    const name = element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent;
    // A file is chosen with what stands for its input.
    const { left, top, width, height } = (
      element.matches('[type=file]') && label ? label : element
    ).getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(seen) || seen?.contains(element) || label?.contains(seen) ? name : `${name}, not seen`;
  });

const IN_PANEL = ['Column', 'Estimate', 'Edit description', 'Parent', 'Write a prompt', 'Send'];
/** What is judged is read first. */
const ON_PHONE = ['Approve', 'Edit description', 'Column', 'Estimate', 'Parent', 'Write a prompt', 'Send'];

/** What has the focus one after the other, to the end of an item. All of it is seen. */
async function stopsFrom(page: Page, start: string): Promise<string[]> {
  await page.locator(start).first().focus();
  const stops: string[] = [];
  while (stops.at(-1) !== 'Send') {
    await page.keyboard.press('Tab');
    stops.push(((await focused(page)) ?? '').replace(/ [a-z]$/, ''));
  }
  expect(stops.filter((stop) => stop.endsWith('not seen'))).toEqual([]);
  return stops;
}

/** From the bar of an item to its end, in the order in which its parts are below each other. */
async function goesInOrder(page: Page, inOrder = IN_PANEL): Promise<void> {
  const stops = await stopsFrom(page, '.item-bar button');
  expect(stops.filter((stop) => inOrder.includes(stop))).toEqual(inOrder);
}

test('the page of an item too narrow for two columns is gone through in the order in which it is seen', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Judge me' });
  const { page } = await stage.visit(`items/${taskId}`, {
    apiKey: organization.apiKey,
    viewport: { width: 800, height: 900 },
  });
  await page.getByText('No sessions yet.').waitFor();
  await goesInOrder(page);
});

test('on a phone, what is to be judged follows the verdict: what to check, then the description, then its fields', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, {
    title: 'Judge me',
    boardColumnId: 'Review',
    description: 'Light and dark.',
    metadata: { userActions: 'Look at the links.' },
  });
  const { page } = await stage.visit(`items/${taskId}`, {
    apiKey: organization.apiKey,
    viewport: { width: 390, height: 844 },
  });
  await page.getByText('No sessions yet.').waitFor();
  const parts = ['Verdict', 'What you need to check', 'Description', 'Properties'];
  const tops = await Promise.all(
    parts.map(async (name) => (await page.getByRole('region', { name, exact: true }).boundingBox())?.y),
  );
  expect(tops).toEqual(tops.toSorted((a = 0, b = 0) => a - b));
  expect(tops).not.toContain(undefined);
  // Where what to check ends.
  expect((await page.getByRole('heading', { name: 'Description' }).boundingBox())?.height).toBeGreaterThan(10);
  await goesInOrder(page, ON_PHONE);
});

test('on a phone, what has the focus in an item is in view, and not behind the button that creates', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Long', description: 'One.\n\nTwo.\n\n'.repeat(12) });
  await organization.call('POST', `/api/work-items/${id}/comments`, { text: 'Three. '.repeat(200) });
  const { page } = await stage.visit(`items/${taskId}`, {
    apiKey: organization.apiKey,
    viewport: { width: 360, height: 740 },
  });
  await page.getByText('No sessions yet.').waitFor();
  await page.locator('.item-bar').getByRole('button').first().focus();
  const [seen, hidden]: [string[], string[]] = [[], []];
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press('Tab');
    const { name, isHidden, isInside } = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const ends = [left + 2, right - 2].flatMap((x) => [top + 2, bottom - 2].map((y) => [x, y] as const));
      const behind = ends.filter(([x, y]) => document.elementFromPoint(x, y)?.closest('.frame-create'));
      return {
        name: `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent}`,
        isHidden: bottom < 0 || top > innerHeight || behind.length > 1,
        isInside: element.closest('main') !== null,
      };
    });
    if (!isInside) break;
    seen.push(name);
    if (isHidden) hidden.push(name);
  }
  expect(seen.length).toBeGreaterThan(15);
  expect(hidden).toEqual([]);
});

test('in an item, whatever has the focus is seen, and it stays where something was chosen', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const visitor = await stage.visit(`board?panel=${item.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.setViewportSize({ width: 1000, height: 420 });
  const now = async () => (await organization.call<WorkItem>('GET', `/api/work-items/${item.id}`)).data;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const goTo = async (label: string) => {
    while ((await focused(page)) !== label) await press('Tab');
  };
  await page.getByText('No sessions yet.').waitFor();
  // What is behind the item cannot have the focus; what is beside it is seen.
  expect(await stopsFrom(page, '.frame-skip')).not.toContain('Create in Done');
  await page.setViewportSize({ width: 1440, height: 420 });
  expect(await stopsFrom(page, '.frame-skip')).toContain('Create in Done');
  await page.setViewportSize({ width: 1000, height: 420 });
  await page.locator('.item-heading').focus();
  await goTo('Assignee');
  await page.keyboard.type('nightly');
  await press('Enter');
  await page.getByText(`${item.taskId} changed.`).waitFor();
  expect(await focused(page)).toBe('Assignee');
  // Both are asked for before the first is answered.
  await press('Control+a');
  await page.keyboard.type('hourly');
  await press('Enter', 'Tab');
  await expect.poll(async () => (await now()).assignee).toBe('hourly');
  await goesInOrder(page);
  expect(await page.getByText('Somebody else').count()).toBe(0);

  await page.locator('.item-bar').getByRole('button').first().focus();
  await goTo('Column');
  await page.keyboard.type('in p');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await expect.poll(() => focused(page)).toBe('Column');
  await page.keyboard.type('in p');
  await press('Enter');
  await page.getByRole('dialog').locator('textarea:focus').waitFor();
  await page.keyboard.type('Unreadable');
  await press('Control+Enter');
  await expect.poll(async () => (await now()).rework).toMatchObject({ summary: 'Unreadable' });
  await expect.poll(() => focused(page)).toBe('Column');
  expect(visitor.complaints).toEqual([]);
});

test('a question is answered and work is judged from For you, where the focus goes with the keys', async () => {
  const organization = await stage.newOrganization();
  const { call } = organization;
  const asked = await createItem(organization, { title: 'The fonts', boardColumnId: 'To Do' });
  const claim = { ids: [asked.id], agent: 'one' };
  const { data } = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', claim);
  const leaseToken = data.lease.token;
  const question = { leaseToken, state: 'awaiting_input', question: 'Which fonts?\n- Inter\n- Plex' };
  await call('POST', `/api/work-items/${asked.id}/progress`, question);
  for (const title of ['First', 'Second', 'Third']) {
    await createItem(organization, { title, boardColumnId: 'Review' });
  }
  const visitor = await stage.visit('for-you', { apiKey: organization.apiKey });
  const { page } = visitor;
  await page.getByText('Third').waitFor();
  // In the lines in which it was asked.
  const text = page.getByText('Which fonts?');
  expect(await text.evaluate((element) => getComputedStyle(element).whiteSpaceCollapse)).toBe('preserve-breaks');
  const press = (key: string) => page.keyboard.press(key);
  await press('j');
  await expect.poll(() => focused(page)).toContain('First');
  await press('k');
  await expect.poll(() => focused(page)).toContain('The fonts');
  await press('Tab');
  expect(await focused(page)).toBe('Answer');
  await page.keyboard.type('Inter');
  await press('Enter');
  await page.getByText('one gets the answer').waitFor();
  const beat = { leaseToken, state: 'working' };
  const heard = await call<{ answers: { text: string }[] }>('POST', `/api/work-items/${asked.id}/progress`, beat);
  expect(heard.data.answers).toMatchObject([{ text: 'Inter' }]);
  // It is gone, with the field that had the focus.
  await expect.poll(() => focused(page)).toContain('First');
  await press('a');
  await expect.poll(() => focused(page)).toContain('Second');
  await press('x');
  await page.getByRole('dialog').locator('textarea:focus').waitFor();
  await page.keyboard.type('Too dark');
  await press('Control+Enter');
  await expect.poll(() => focused(page)).toContain('Third');
  await press('o');
  await page.getByRole('heading', { level: 1, name: 'Third' }).waitFor();
  await page.goBack();
  await expect.poll(() => focused(page)).toContain('Third');
  expect(visitor.complaints).toEqual([]);
});

test('o opens what has the focus whole, and a long title leaves a phone room for the rest', async () => {
  const organization = await stage.newOrganization();
  const item = await createItem(organization, { title: 'Rename every single thing. '.repeat(18) });
  const visitor = await stage.visit('board', { apiKey: organization.apiKey });
  const { page } = visitor;
  for (const screen of ['board', 'list']) {
    await page.goto(`${stage.url}/console/${screen}`);
    await page.getByRole('link', { name: /Rename every/ }).focus();
    await page.keyboard.press('o');
    await page.waitForURL(/\/items\//);
  }
  await page.setViewportSize({ width: 360, height: 640 });
  const heading = page.getByRole('heading', { level: 1, name: /^Rename every/ });
  await heading.waitFor();
  expect((await heading.boundingBox())?.height).toBeLessThan(320);
  await page.goto(`${stage.url}/console/items/${item.taskId}`);
  await visitor.fits('long-title');
});

test('a begun ID is completed in pickers and in texts, and what is taken away leaves the focus in its place', async () => {
  const organization = await stage.newOrganization();
  const items: WorkItem[] = [];
  for (let at = 1; at <= 12; at++) items.push(await createItem(organization, { title: `Number ${at}` }));
  const [first, , , , , , , , , tenth] = items;
  const begun = first?.taskId ?? '';
  const visitor = await stage.visit(`items/${items[1]?.taskId}`, { apiKey: organization.apiKey });
  const { page } = visitor;
  const picker = page.getByRole('combobox', { name: 'Depends on' });
  await picker.focus();
  await page.keyboard.type(begun.toLowerCase());
  const begins = items
    .filter(({ taskId }) => taskId.startsWith(begun))
    .map(({ taskId, title }) => `${taskId} ${title}`);
  expect(begins.length).toBeGreaterThan(2);
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(begins);
  await page.getByRole('option', { name: `${tenth?.taskId} Number 10` }).waitFor();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('button', { name: `Remove ${tenth?.taskId}` }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Depends on');

  // The same words in a text offer the same.
  await page.getByRole('textbox', { name: 'Comment' }).focus();
  await page.keyboard.type(`As #${begun.toLowerCase()}`);
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(begins);
  await page.keyboard.press('Escape');

  await page.goto(`${stage.url}/console/list?priority=medium`);
  await page.getByRole('button', { name: 'Remove Priority: Medium' }).press('Enter');
  await expect.poll(() => focused(page)).toBe('Filter');
  await page.getByRole('button', { name: 'Save view' }).press('Enter');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('Everything');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toContain('Everything');
  expect(visitor.complaints).toEqual([]);
});

test('a column whose name was typed before the board was read is found once it is', async () => {
  const organization = await stage.newOrganization();
  const { id, taskId } = await createItem(organization, { title: 'Move me', boardColumnId: 'Backlog' });
  const { page } = await stage.visit('', { apiKey: organization.apiKey });
  const typed = Promise.withResolvers<void>();
  await page.route(`**/api/boards/${organization.boardId}`, async (route) => {
    await typed.promise;
    await route.continue();
  });
  await page.goto(`${stage.url}/console/items/${taskId}`);
  const column = page.getByRole('combobox', { name: 'Column' });
  await column.selectText();
  await page.keyboard.type('to do');
  await page.getByText('Nothing found').waitFor();
  typed.resolve();
  await page.getByRole('option', { name: 'To Do', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const placed = async () => (await organization.call<WorkItem>('GET', `/api/work-items/${id}`)).data.columnName;
  await expect.poll(placed).toBe('To Do');
});

test('what a lead does every day takes few keys beside the words, and no mouse', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId, boardId, columns } = organization;
  for (let from = 1; from <= 300; from += 100) {
    await call('POST', '/api/work-items/batch', {
      ...{ projectId, boardId, boardColumnId: columns.Backlog },
      items: Array.from({ length: 100 }, (_, at) => ({ type: 'task', title: `Number ${from + at}` })),
    });
  }
  const judged = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const visitor = await stage.visit('', { apiKey: organization.apiKey });
  const { page } = visitor;
  let keys = 0;
  const press = async (...pressed: string[]) => {
    keys += pressed.length;
    for (const key of pressed) await page.keyboard.press(key);
  };
  const goTo = async (label: string) => {
    while ((await focused(page)) !== label) await press('Tab');
  };
  const took = (job: string, most: number) => {
    expect(keys, job).toBeLessThanOrEqual(most);
    keys = 0;
  };

  // What needs one is there first.
  await page.locator('.for-you-entry[aria-current="true"]', { hasText: 'Judge me' }).waitFor();

  await press('x');
  await page.getByRole('dialog').locator('textarea:focus').waitFor();
  await page.keyboard.type('Too dark');
  await press('Control+Enter');
  await page.getByText('Sent back: Too dark').waitFor();
  took('sent back', 6);
  expect((await call<WorkItem>('GET', `/api/work-items/${judged.id}`)).data.rework).toMatchObject({
    summary: 'Too dark',
  });

  await press('Control+k');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('number 217');
  await page.getByRole('option', { name: /Number 217/ }).waitFor();
  await press('Enter');
  // It has the focus once it is open: before, the dialog gives it back.
  await page.getByRole('complementary', { name: 'Number 217' }).and(page.locator(':focus-within')).waitFor();
  took('found among 300', 3);
  await goTo('Column');
  const choose = async (words: string, name: string) => {
    await page.keyboard.type(words);
    await page.getByRole('option', { name, selected: true }).waitFor();
    await press('Enter');
  };
  await choose('to do', 'To Do');
  const { data: found } = await call<{ workItems: WorkItem[] }>('GET', '/api/work-items?search=217');
  const id = found.workItems.find(({ title }) => title === 'Number 217')?.id;
  const placed = async () => (await call<WorkItem>('GET', `/api/work-items/${id}`)).data.columnName;
  await expect.poll(placed).toBe('To Do');
  took('moved', 20);

  await press('Escape', 'Escape', 'c');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('Dark mode');
  await goTo('Type');
  await choose('epic', 'Epic');
  await goTo('Sub-items');
  for (const step of ['Name', 'Choose', 'Use', 'Check', 'Ship']) {
    await page.keyboard.type(step);
    if (step !== 'Ship') await press('Enter');
  }
  await goTo('Each depends on the one before');
  await press('Space', 'Control+Enter');
  await page.getByText('and 5 sub-items created').waitFor();
  took('an epic with five dependent tasks', 40);
  const { data } = await call<{ workItems: WorkItem[] }>('GET', '/api/work-items?type=epic');
  const children = await call<{ workItems: WorkItem[] }>('GET', `/api/work-items?parentId=${data.workItems[0]?.id}`);
  const steps = await Promise.all(
    children.data.workItems.map(async (step) => (await call<WorkItem>('GET', `/api/work-items/${step.id}`)).data),
  );
  expect(steps.map(({ metadata }) => metadata.dependsOn !== undefined).toSorted()).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);

  // Somebody else comes in: the link is shown at the end of it.
  await press('Control+k');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('settings');
  await page
    .getByRole('option', { name: /Settings/ })
    .first()
    .waitFor();
  await press('Enter');
  await page.locator('.settings-nav').waitFor();
  await goTo('Users');
  await press('Enter');
  await page.getByRole('button', { name: 'Invite', exact: true }).waitFor();
  await goTo('Invite');
  await press('Enter');
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('Grace');
  await goTo('E-mail address');
  await page.keyboard.type('grace@example.com');
  await press('Enter');
  await page.getByRole('dialog').getByText('/console/#code=').waitFor();
  took('invited', 40);
  expect(visitor.complaints).toEqual([]);
});

test('in a menu, what is typed leads to the name that begins with it, with its spaces, and one letter again to the next', async () => {
  const organization = await stage.newOrganization();
  for (const name of ['Mobile web', 'Mail', 'Mobile app']) await organization.call('POST', '/api/projects', { name });
  const { page } = await stage.visit(`board?project=${organization.projectId}`, { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Project Work: choose another' }).click();
  await page.getByRole('menuitemradio', { name: 'Mobile app' }).waitFor();
  await page.keyboard.type('mobile w');
  expect(await focused(page)).toBe('Mobile web');
  // Newest first, and around.
  const reached = new Set<string | null>();
  await expect
    .poll(async () => {
      await page.keyboard.press('m');
      return reached.add(await focused(page)).size;
    })
    .toBe(3);
});

test('when what has the focus goes, the focus is on what comes next or is around it; from a message, it goes back to where it was', async () => {
  const organization = await stage.newOrganization();
  const { taskId } = await createItem(organization, { title: 'Judge me', boardColumnId: 'Review' });
  const [one, , three] = [
    await createItem(organization, { title: 'One' }),
    await createItem(organization, { title: 'Two' }),
    await createItem(organization, { title: 'Three' }),
  ];
  const { page } = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey });
  await page.getByText('No sessions yet.').waitFor();
  await page.getByRole('button', { name: 'Approve' }).press('Enter');
  await page.getByText('Handed over, in Testing.').waitFor();
  await expect.poll(() => focused(page)).toBe('Judge me');

  const priority = page.getByRole('combobox', { name: 'Priority' });
  await priority.press('ArrowDown');
  await page.keyboard.type('urgent');
  await page.keyboard.press('Enter');
  // Until then the message before it offers to take the verdict back.
  await page.getByText(`${taskId} changed.`).waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect.poll(() => focused(page)).toBe('Priority');
  await page.getByText('Undone.').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).last().press('Enter');
  await expect.poll(() => focused(page)).toBe('Priority');

  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') };
  await page.locator('.attachments-new input').setInputFiles(file);
  await page.getByRole('button', { name: 'Delete notes.txt' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.locator('.toast', { hasText: 'notes.txt deleted.' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Attach a file');

  await page.goto(`${stage.url}/console/board`);
  await page.getByRole('link', { name: /, One,/ }).focus();
  await organization.call('DELETE', `/api/work-items/${one.id}`);
  await expect.poll(() => focused(page)).toContain('Two');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toContain('Three');
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText(`${three.taskId} deleted.`).waitFor();
  await expect.poll(() => focused(page)).toBe('Board');
});
