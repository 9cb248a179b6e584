import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

test.each([
  ['en-GB', 'New label', 'Name', 'Create', 'The project already has a label "bug".', undefined],
  [
    'de-DE',
    'Neues Etikett',
    'Name',
    'Anlegen',
    'Das gibt es unter diesem Namen schon.',
    'The project already has a label "bug".',
  ],
])(
  'in %s, a form says what was refused in the language of the page',
  async (locale, newLabel, name, create, said, original) => {
    const organization = await stage.newOrganization();
    await organization.call('POST', `/api/projects/${organization.projectId}/labels`, {
      name: 'bug',
      colour: '#aa0000',
    });
    const visitor = await stage.visit('settings/project?part=labels', { apiKey: organization.apiKey, locale });
    const { page } = visitor;
    await page.getByRole('button', { name: newLabel }).click();
    await page.getByLabel(name, { exact: true }).fill('bug');
    await page.getByRole('button', { name: create }).click();
    const refused = page.getByRole('dialog').getByRole('alert');
    await refused.getByText(said).waitFor();
    // A screen reader pronounces the service's own words as English.
    expect(await refused.locator('[lang=en]').allTextContents()).toEqual(original ? [original] : []);
    expect(await page.getByLabel(name, { exact: true }).inputValue()).toBe('bug');
    await visitor.isGood(`refused-${locale}`);
  },
);

test('a move past a gate asks in the language of the page, and says in the service’s own words which', async () => {
  const organization = await stage.newOrganization();
  const { call, projectId } = organization;
  await call('PATCH', `/api/projects/${projectId}`, { gates: 'enforce' });
  const { taskId } = await createItem(organization, { title: 'Too soon' });
  const { page } = await stage.visit(`items/${taskId}`, { apiKey: organization.apiKey, locale: 'de-DE' });
  await page.getByRole('combobox', { name: 'Spalte' }).click();
  await page.getByRole('option', { name: 'Done' }).click();
  const dialog = page.getByRole('dialog', { name: 'Trotzdem tun?' });
  await dialog.getByText('Hier kommt eine Aufgabe durch ein Urteil weiter, nicht von Hand.').waitFor();
  await dialog.locator('[lang=en]').getByText(`${taskId} is not reviewed yet`).waitFor();
});

const notBefore = (seconds: number, status: 429 | 503) => {
  const error = { code: status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE', message: 'Not now.' };
  return { status, headers: { 'retry-after': String(seconds) }, json: { success: false, error } };
};

test('what the service asks to wait for is waited for, and said', async () => {
  const organization = await stage.newOrganization();
  const { taskId, id } = await createItem(organization, { title: 'Later' });
  const { page } = await stage.visit('agents', { apiKey: organization.apiKey });
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  const askedMs: number[] = [];
  // The first of each is refused.
  const refuseFirst = async (method: string, path: string, status: 429 | 503) => {
    askedMs.length = 0;
    await page.route(path, (route) => {
      const isFirst = route.request().method() === method && askedMs.push(performance.now()) === 1;
      return isFirst ? route.fulfill(notBefore(3, status)) : route.continue();
    });
  };
  const waitedMs = () => (askedMs[1] ?? 0) - (askedMs[0] ?? 0);

  await refuseFirst('GET', `**/api/work-items/${taskId}*`, 503);
  await page.goto(`${stage.url}/console/items/${taskId}`);
  await page.getByText('The service is busy. This is tried again in 3 s.').waitFor();
  await page.getByRole('heading', { name: 'Later' }).waitFor();
  expect(waitedMs()).toBeGreaterThanOrEqual(2_900);
  await page.unrouteAll();

  await refuseFirst('PATCH', `**/api/work-items/${id}`, 429);
  await page.getByRole('button', { name: 'Edit title' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Sooner');
  await page.keyboard.press('Enter');
  await page.getByText('The service is busy. This is tried again in 3 s.').waitFor();
  await page.getByRole('heading', { name: 'Sooner' }).waitFor();
  await page.getByText('Saved').waitFor();
  expect(waitedMs()).toBeGreaterThanOrEqual(2_900);
});

test('what the service asks to wait for longer than anybody waits is not repeated, and says when it can be', async () => {
  const organization = await stage.newOrganization();
  const { page } = await stage.visit('board', { apiKey: organization.apiKey });
  await page.getByRole('button', { name: 'Create in Backlog' }).waitFor();
  let asked = 0;
  await page.route('**/api/work-items', (route) => {
    asked++;
    return route.fulfill(notBefore(45, 429));
  });
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Too much');
  await dialog.getByLabel('Title').press('Control+Enter');
  await dialog.getByRole('alert').getByText('Try again in 45 s.').waitFor();
  expect(asked).toBe(1);
});
