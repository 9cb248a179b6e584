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
