import { expect, test } from 'vitest';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

test('the code in a link signs in without a click, once, and is removed from the address', async () => {
  const code = await stage.newCode();
  const visitor = await stage.visit(`#code=${code}`, { apiKey: null });
  await visitor.page.getByRole('button', { name: 'Account of' }).waitFor();
  // A link may come from a stranger, who wants others to work in an account of theirs.
  await visitor.page.locator('.toast', { hasText: /^You are signed in as .+ of .+\./ }).waitFor();
  expect(visitor.page.url()).not.toContain(code);
  const second = await stage.visit(`#code=${code}`, { apiKey: null });
  await second.page.getByRole('alert').filter({ hasText: 'This link no longer works' }).waitFor();
  expect(second.page.url()).not.toContain(code);
  await second.isGood('sign-in-code-refused');
});

test('the code in a link signs in whoever it is for, in all tabs, once whoever is signed in agrees; one that is refused changes nothing', async () => {
  const other = await stage.newOrganization();
  const { data: colleague } = await other.call<{ id: string }>('POST', '/api/users', {
    ...{ email: 'invited@example.com', name: 'Grace Invited', role: 'member' },
  });
  const { data: made } = await other.call<{ code: string }>('POST', `/api/users/${colleague.id}/invitation`);
  const sessions = async () => {
    const { data } = await stage.organization.call<{ items: { id: string }[] }>('GET', '/api/sessions');
    return data.items.map(({ id }) => id).toSorted();
  };
  const before = await sessions();
  const visitor = await stage.visit('');
  await visitor.page.getByRole('button', { name: 'Account of' }).waitFor();
  expect(await sessions()).toHaveLength(before.length + 1);
  // A link that was cut off.
  const tab = await visitor.openTab('#code=');
  await tab.page.getByRole('button', { name: 'Account of' }).waitFor();
  // As a link that is followed where the console is open already: nothing but what follows the # changes.
  const follow = async () => {
    await tab.page.goto(`${stage.url}/console/#code=${made.code}`);
    await tab.page.getByText('The link signs in whoever it was made for').waitFor();
    expect(tab.page.url()).not.toContain(made.code);
  };
  await follow();
  await tab.isGood('sign-in-instead');
  await tab.page.getByRole('button', { name: 'Stay signed in' }).click();
  await tab.page.getByRole('button', { name: 'Account of' }).waitFor();
  await follow();
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  for (const { page } of [tab, visitor]) {
    await page.getByRole('button', { name: 'Account of Grace Invited' }).waitFor();
    expect(page.url()).not.toContain(made.code);
  }
  // No cookie names the session before any more.
  expect(await sessions()).toEqual(before);
  const again = await visitor.openTab(`#code=${made.code}`);
  await again.page.getByRole('button', { name: 'Sign in' }).click();
  await again.page.getByText('This invitation has been used').waitFor();
  for (const { page } of [again, tab]) await page.getByRole('button', { name: 'Account of Grace Invited' }).waitFor();
  expect(again.page.url()).not.toContain(made.code);
});

test('a pasted key signs in, by keyboard alone, is stored nowhere, and leads to the requested page', async () => {
  const visitor = await stage.visit('nowhere?project=x', { apiKey: null });
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await visitor.isGood('sign-in');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wt_wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'You cannot sign in with this key' }).waitFor();
  await visitor.isGood('sign-in-refused');
  await page.keyboard.type(stage.organization.apiKey);
  await page.keyboard.press('Enter');
  await page.getByText('There is nothing at this address.').waitFor();
  expect(page.url()).toBe(`${stage.url}/console/nowhere?project=x`);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored).not.toContain(stage.organization.apiKey.slice(0, 12));
  await visitor.isGood('nothing-here');
});

test('signing out in one tab signs out in all', async () => {
  const visitor = await stage.visit('');
  const tab = await visitor.openTab('');
  await tab.page.getByRole('button', { name: 'Account of' }).waitFor();
  await visitor.page.getByRole('button', { name: 'Account of' }).click();
  await visitor.isGood('account-menu');
  await visitor.page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const { page } of [visitor, tab]) await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('what a session shows is hidden, in all its tabs, within 5 s of its end elsewhere, and nothing of it is left', async () => {
  const { call } = stage.organization;
  const sessions = async () =>
    (await call<{ items: { id: string }[] }>('GET', '/api/sessions')).data.items.map(({ id }) => id);
  const before = await sessions();
  const visitor = await stage.visit('board');
  const tab = await visitor.openTab('settings');
  for (const { page } of [visitor, tab]) await page.getByRole('button', { name: 'Account of' }).waitFor();
  const own = (await sessions()).find((id) => !before.includes(id));
  await call('DELETE', `/api/sessions/${own}`);
  for (const { page } of [visitor, tab]) {
    await page.getByText('Your session has ended').waitFor({ timeout: 5_000 });
    expect(await page.locator('.frame').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('apiKey');
  }
  // Whoever comes next finds their own work, as it happens.
  const other = await stage.newOrganization();
  await visitor.page.getByLabel('API key').fill(other.apiKey);
  await visitor.page.keyboard.press('Enter');
  await visitor.page.locator('.column[aria-label="Backlog, 0 cards"]').waitFor();
  await createItem(other, { title: 'Theirs' });
  await visitor.page.locator('.column[aria-label="Backlog, 1 card"]').waitFor();
});

test('language, theme and density are the visitor’s, and can be chosen, with the keyboard too', async () => {
  const visitor = await stage.visit('', { locale: 'tr-TR', colorScheme: 'dark' });
  const { page } = visitor;
  const open = async (name: string, key: string) => {
    await page.getByRole('button', { name }).press(key);
    await page.locator('[role=menu] :focus').waitFor();
  };
  await open('hesabı', 'Enter');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('tr');
  await page.keyboard.type('日');
  await page.keyboard.type('D');
  await page.keyboard.press('Enter');
  await open('Konto von', 'ArrowDown');
  await page.keyboard.type('h');
  await page.keyboard.press('Enter');
  await open('Konto von', 'ArrowDown');
  await page.keyboard.type('b');
  await page.keyboard.press('Enter');
  const look = () =>
    page.evaluate(() => [
      getComputedStyle(document.documentElement).colorScheme,
      document.documentElement.lang,
      getComputedStyle(document.body).fontSize,
    ]);
  await expect.poll(look).toEqual(['light', 'de', '16px']);
  await page.reload();
  await page.getByRole('button', { name: 'Konto von' }).waitFor();
  expect(await look()).toEqual(['light', 'de', '16px']);
});
