import type { Webhook } from '@worktrack/contracts/events/webhook';
import type { FeedbackItem, Source } from '@worktrack/contracts/feedback/records';
import type { ApiKey, RoleRecord, Session, User } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import type { Label } from '@worktrack/contracts/projects/label';
import { beforeAll, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../../test/support/organization.ts';
import { choose } from './support/choose.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
let organization: TestOrganization;

beforeAll(() => {
  organization = stage.organization;
});

async function newKey(name: string, permissions?: readonly Permission[]): Promise<ApiKey & { readonly key: string }> {
  const answer = await organization.call<ApiKey & { key: string }>('POST', '/api/api-keys', { name, permissions });
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}

async function newUser(name: string, role: string, projects: readonly string[] | null = null): Promise<User> {
  const email = `${name.toLowerCase()}@example.com`;
  const answer = await organization.call<User>('POST', '/api/users', { name, email, role, projects });
  if (!answer.success) throw new Error(answer.error.message);
  return answer.data;
}

const entry = ({ page }: Visitor, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

const rolesOf = async () => {
  const { data } = await organization.call<{ users: User[] }>('GET', '/api/users');
  return new Map(data.users.map(({ name, role, disabled }) => [name, disabled ? 'disabled' : role]));
};

test('a key is created with chosen permissions, shown once, shows when it was used, and is revoked', async () => {
  const visitor = await stage.visit('settings');
  const { page } = visitor;
  await entry(visitor, 'First key').getByText('Everything').waitFor();
  await visitor.isGood('settings-keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await visitor.isGood('settings-new-key');
  await page.getByLabel('Name').fill('Agent 3');
  await page.getByRole('button', { name: 'Read only' }).click();
  await page.getByLabel('Feedback: Read').uncheck();
  await page.getByLabel('Work items: Write').check();
  await page.getByLabel('Work', { exact: true }).check();
  await choose(page, 'Expires', 'In 30 days');
  await page.getByRole('button', { name: 'Create' }).click();
  const shown = page.getByRole('dialog').locator('pre');
  await shown.waitFor();
  await visitor.isGood('settings-key-shown');
  const key = (await shown.textContent()) ?? '';
  // A browser may refuse it.
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByText('The browser allows no copying.').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  // It is shown once: what one presses by mistake does not take it away.
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  expect(await shown.isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Done' }).click();

  await entry(visitor, 'Agent 3').getByText('Never used').waitFor();
  await entry(visitor, 'Agent 3').getByText('Only in Work').waitFor();
  const call = caller(stage.url, key);
  const { data } = await call<{ permissions: Permission[]; projects: string[] }>('GET', '/api/me');
  expect(data.projects).toEqual([organization.projectId]);
  expect(data.permissions).toContain('work-items:write');
  expect(data.permissions).not.toContain('feedback:read');
  const lastUsedAt = async () => {
    const keys = (await organization.call<ApiKey[]>('GET', '/api/api-keys')).data;
    return keys.find(({ name }) => name === 'Agent 3')?.lastUsedAt;
  };
  await expect.poll(lastUsedAt).toBeTruthy();
  await page.reload();
  await entry(visitor, 'Agent 3').getByText('Last used').waitFor();
  expect(await page.content()).not.toContain(key);

  // It ends at once, and its row with it: the new one stays on the screen all the same.
  await page.getByRole('button', { name: 'Rotate Agent 3' }).click();
  await choose(page, 'The old one still works for', 'No time: it ends now');
  await visitor.isGood('settings-rotate-key');
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await expect.poll(async () => (await call('GET', '/api/me')).status).toBe(401);
  await expect.poll(lastUsedAt).toBeNull();
  const next = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
  const callAnew = caller(stage.url, next);
  expect((await callAnew('GET', '/api/me')).status).toBe(200);
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Revoke Agent 3' }).click();
  await visitor.isGood('settings-revoke');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Agent 3 has been revoked and no longer works anywhere.').waitFor();
  await entry(visitor, 'Agent 3').waitFor({ state: 'detached' });
  expect((await callAnew('GET', '/api/me')).status).toBe(401);
  await page.getByLabel('Show revoked and expired keys').check();
  await entry(visitor, 'Agent 3').getByText('Revoked').waitFor();
  await visitor.isGood('settings-keys-ended');
});

test('of a long list, only what is in view is laid out', async () => {
  const many = await stage.newOrganization();
  for (let count = 0; count < 40; count++)
    await many.call('POST', '/api/api-keys', { name: `Key ${count}`, permissions: ['projects:read'] });
  const { page } = await stage.visit('settings/keys', { apiKey: many.apiKey });
  await expect.poll(() => page.getByRole('button', { name: /^Revoke/ }).count()).toBe(41);
  const isLaidOut = (at: number) =>
    page
      .getByRole('heading', { name: /key/i, level: 2 })
      .nth(at)
      .evaluate((heading) => heading.checkVisibility({ contentVisibilityAuto: true }));
  await expect.poll(() => isLaidOut(0)).toBe(true);
  expect(await isLaidOut(40)).toBe(false);
  await page
    .getByRole('button', { name: /^Revoke/ })
    .last()
    .focus();
  await expect.poll(() => isLaidOut(40)).toBe(true);
});

test('a key is created and revoked with the keyboard alone', async () => {
  const visitor = await stage.visit('settings/keys');
  const { page } = visitor;
  await page.getByRole('button', { name: 'New key' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('pre').waitFor();
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').locator('pre').isVisible()).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  // As it closes, the focus returns to what opened it, which a key pressed meanwhile would meet.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Revoke By keyboard' }).press('Enter');
  await page.getByRole('dialog', { name: 'Revoke By keyboard' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('By keyboard has been revoked and no longer works anywhere.').waitFor();
});

test('users are invited, given roles and signed in with a link, renamed, disabled and enabled', async () => {
  const visitor = await stage.visit('settings/users');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Grace');
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await choose(page, 'Role', 'Viewer');
  await page.getByRole('group', { name: 'Only in these projects' }).getByRole('checkbox').first().check();
  await visitor.isGood('settings-invite');
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  const shown = page.getByRole('dialog', { name: 'Invite Grace' }).locator('pre');
  await shown.waitFor();
  // The mail server of the tests takes no connections.
  await page.getByText('The mail could not be sent. Send this link yourself.').waitFor();
  await visitor.isGood('settings-invitation');
  const link = (await shown.textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  await entry(visitor, 'Grace').getByText('Invited until').waitFor();
  await visitor.isGood('settings-invited');
  expect((await userNamed('Grace')).projects).toEqual([organization.projectId]);
  await entry(visitor, 'Grace').getByText('Only in Work').waitFor();
  const grace = await stage.visit(link.split('/console/')[1] ?? '', { apiKey: null });
  await grace.page.getByRole('button', { name: 'Account of Grace' }).waitFor();
  await entry(visitor, 'Grace').getByText('Has signed in').waitFor();
  const late = await stage.visit(link.split('/console/')[1] ?? '', { apiKey: null });
  await late.page.getByRole('alert').filter({ hasText: 'This invitation has been used' }).waitFor();
  await late.isGood('sign-in-invitation-used');

  await page.getByRole('button', { name: 'Sign-in link for Grace' }).click();
  await page.getByRole('dialog', { name: 'Sign-in link for Grace' }).locator('pre').waitFor();
  await visitor.isGood('settings-sign-in-link');
  await page.getByRole('button', { name: 'Done' }).click();
  await visitor.isGood('settings-users');

  // Again, by keyboard, and taken back.
  await page.getByRole('button', { name: 'Invite Grace' }).press('Enter');
  await shown.waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Withdraw the invitation of Grace' }).press('Enter');
  await page.getByText('The invitation of Grace is withdrawn.').waitFor();
  await page.getByRole('button', { name: 'Invite Grace' }).waitFor();

  const role = page.getByRole('button', { name: 'Role of Grace' });
  await role.press('ArrowDown');
  await page.keyboard.type('m');
  await page.keyboard.press('Enter');
  await page.getByText('Grace now has the role Member.').waitFor();
  expect((await rolesOf()).get('Grace')).toBe('member');

  await page.getByRole('button', { name: 'Rename Grace' }).press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.keyboard.press('Enter');
  await page.getByText('Renamed to Grace Hopper.').waitFor();
  await entry(visitor, 'Grace Hopper').waitFor();
  expect((await rolesOf()).get('Grace Hopper')).toBe('member');
  await page.getByRole('button', { name: 'Disable Grace Hopper' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await entry(visitor, 'Grace Hopper').getByText('Disabled').waitFor();
  expect((await rolesOf()).get('Grace Hopper')).toBe('disabled');
  await grace.page.reload();
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'Enable Grace Hopper' }).click();
  await page.getByText('Grace Hopper is enabled.').waitFor();
  expect((await rolesOf()).get('Grace Hopper')).toBe('member');

  const { name } = (await organization.call<{ user: User }>('GET', '/api/me')).data.user;
  await page.getByRole('button', { name: `Rename ${name}` }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Account of Ada' }).waitFor();
});

test('a role is made, given, changed at once for who has it, and deleted once nobody has it', async () => {
  const visitor = await stage.visit('settings/roles');
  const { page } = visitor;
  await entry(visitor, 'Owner').getByText('Everything').waitFor();
  expect(await entry(visitor, 'Owner').getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: 'New role' }).click();
  await page.getByLabel('Name').fill('Triage');
  await page.getByLabel('Feedback: Write').check();
  await visitor.isGood('settings-new-role');
  await page.getByRole('button', { name: 'Create' }).click();
  await entry(visitor, 'Triage').getByText('feedback:write').waitFor();
  await visitor.isGood('settings-roles');
  const roles = async () => (await organization.call<{ roles: RoleRecord[] }>('GET', '/api/roles')).data.roles;
  const triage = (await roles()).find(({ name }) => name === 'Triage');
  const dorothy = await newUser('Dorothy', triage?.id ?? '');
  await page.getByRole('button', { name: 'Edit Triage' }).click();
  await page.getByLabel('Feedback: Write').uncheck();
  await page.getByLabel('Name').fill('Reader');
  await page.getByRole('button', { name: 'Save' }).click();
  await entry(visitor, 'Reader').waitFor();
  expect((await roles()).find(({ id }) => id === triage?.id)?.permissions).not.toContain('feedback:write');
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete Reader' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };
  await remove();
  await page.getByText('Nothing was changed.').waitFor();
  await organization.call('PATCH', `/api/users/${dorothy.id}`, { role: 'viewer', disabled: true });
  await remove();
  await entry(visitor, 'Reader').waitFor({ state: 'detached' });
});

test('sessions are listed, and end at once', async () => {
  const { key } = await newKey('A second browser');
  const other = await stage.visit('agents', { apiKey: key });
  await other.page.getByRole('heading', { name: 'Agents' }).waitFor();
  const visitor = await stage.visit('settings/sessions');
  const { page } = visitor;
  const theirs = page.locator('.settings-row', { hasText: 'By key A second browser' });
  await theirs.waitFor();
  expect(await page.getByText('This browser', { exact: true }).count()).toBe(1);
  await visitor.isGood('settings-sessions');
  const end = theirs.getByRole('button', { name: /End the session/ });
  // Several sessions of one user have the same name.
  const description = await end.evaluate((button) =>
    button.ariaDescribedByElements?.map(({ textContent }) => textContent).join(),
  );
  expect(description).toContain('By key A second browser');
  await end.click();
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
  await theirs.waitFor({ state: 'detached' });
  await other.page.reload();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const { data } = await organization.call<{ items: Session[] }>('GET', '/api/sessions?includeEnded=true');
  expect(data.items.some(({ revokedAt }) => revokedAt !== null)).toBe(true);
  await page.getByLabel('Show sessions that have ended').check();
  await theirs.getByText('Ended').waitFor();
});

test('an owner sees how the installation is, and nobody else is offered it', async () => {
  const visitor = await stage.visit('settings/health');
  const { page } = visitor;
  const component = (name: string) => page.getByRole('table', { name: 'Components' }).getByRole('row', { name });
  for (const name of ['redis', 'rabbitmq', 'keys', 'workitems', 'feedback', 'events'])
    await component(name).getByText('Works').first().waitFor();
  await page.getByText('Last backup: Not known here').waitFor();
  await visitor.isGood('settings-health');
  const member = await newUser('Margaret', 'admin');
  const key = await organization.call<{ key: string }>('POST', '/api/api-keys', {
    name: 'Of Grace',
    userId: member.id,
  });
  const other = await stage.visit('settings', { apiKey: key.data.key });
  await entry(other, 'First key').waitFor();
  const sections = other.page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  expect(await sections.allTextContents()).not.toContain('Health');
});

test('the audit log tells who changed what, and is narrowed down by who and what', async () => {
  const { id } = await newUser('Audited', 'member');
  await organization.call('PATCH', `/api/users/${id}`, { role: 'viewer' });
  const visitor = await stage.visit('settings/audit');
  const { page } = visitor;
  const changed = page.locator('.settings-row', { hasText: 'users.update' }).filter({ hasText: 'member → viewer' });
  await expect
    .poll(async () => {
      await page.reload();
      await page.locator('.settings-row').first().waitFor();
      return changed.count();
    })
    .toBeGreaterThan(0);
  await visitor.isGood('settings-audit');
  const links = await changed.first().locator('.facts :is(a, button)').all();
  for (const { width, height } of (await Promise.all(links.map((link) => link.boundingBox()))).flatMap(
    (box) => box ?? [],
  )) {
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
  }
  await page.getByLabel('Action').fill('users.create');
  await page.keyboard.press('Enter');
  await changed.first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Only about Audited/ }).click();
  await expect.poll(() => page.locator('.settings-row').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await changed.first().waitFor();
  // The button is gone, and the keyboard goes on where it was.
  expect(await page.getByLabel('Action').evaluate((field) => field === document.activeElement)).toBe(true);
  // By which key, and whose that is.
  const { data: me } = await organization.call<{ user: { name: string } }>('GET', '/api/me');
  const person = `Only by ${me.user.name}`;
  await changed.first().getByRole('button', { name: person, exact: true }).click();
  await page.getByRole('button', { name: 'Clear filters' }).waitFor();
  await changed.first().waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await organization.call('PATCH', `/api/users/${id}`, { disabled: true });
  await organization.call('POST', `/api/users/${id}/erase`);
  // What is left of a name is a hash, which no person has to read.
  await expect
    .poll(async () => {
      await page.reload();
      await changed.first().waitFor();
      return changed.first().textContent();
    })
    .toContain('erased');
  expect(await changed.first().textContent()).not.toMatch(/[0-9a-f]{64}/);

  // Days are the visitor's, as the times of the entries are.
  const place = 'settings/audit?from=2026-01-31&to=2026-02-01';
  const { page: inApia } = await stage.visit(place, { timezoneId: 'Pacific/Apia' });
  const asked = inApia.waitForRequest(/\/api\/audit\?/);
  await inApia.reload();
  const { searchParams } = new URL((await asked).url());
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
    '2026-01-30T11:00:00.000Z',
    '2026-01-31T11:00:00.000Z',
  ]);
});

test('what belongs to no project is not offered to whoever is limited to some', async () => {
  const { data: over } = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Over' });
  const { data: limited } = await organization.call<ApiKey & { key: string }>('POST', '/api/api-keys', {
    ...{ name: 'Of one project', projects: [over.id, organization.projectId] },
  });
  await organization.call('DELETE', `/api/projects/${over.id}`);
  const { page } = await stage.visit('settings', { apiKey: limited.key });
  const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  await sections.first().waitFor();
  const offered = ['API keys', 'Project', 'Feedback sources', 'Webhooks', 'Connected apps'];
  expect(await sections.allTextContents()).toEqual(offered);
  // What such a user makes belongs to one of these projects.
  await sections.filter({ hasText: 'Feedback sources' }).click();
  await page.getByRole('button', { name: 'New source' }).click();
  await page.getByLabel('Name').fill('Of Work');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Only in Work').waitFor();
  const { data: sources } = await organization.call<Source[]>('GET', '/api/feedback/sources');
  const made = sources.find(({ name }) => name === 'Of Work');
  expect(made?.projectId).toBe(organization.projectId);
  await organization.call('DELETE', `/api/feedback/sources/${made?.id}`);
});

test('a limit to projects is changed, and is not lifted by what was deleted; who is disabled is erased', async () => {
  const { data: over } = await organization.call<{ id: string }>('POST', '/api/projects', { name: 'Over' });
  const barbara = await newUser('Barbara', 'member', [over.id]);
  await organization.call('DELETE', `/api/projects/${over.id}`);
  const visitor = await stage.visit('settings/users');
  const { page } = visitor;
  await entry(visitor, 'Barbara').getByText('Only in deleted project').waitFor();
  const open = async () => {
    await page.getByRole('button', { name: 'Role of Barbara' }).click();
    await page.getByRole('menuitem', { name: 'Only some projects' }).click();
    await page.getByRole('dialog').waitFor();
  };
  await open();
  const save = page.getByRole('button', { name: 'Save' });
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  await visitor.isGood('settings-limit-user');
  await page.getByLabel('Work', { exact: true }).check();
  await save.click();
  await entry(visitor, 'Barbara').getByText('Only in Work').waitFor();
  expect((await userNamed('Barbara')).projects).toEqual([organization.projectId]);
  await open();
  await page.getByLabel('Work', { exact: true }).uncheck();
  await save.click();
  await entry(visitor, 'Barbara').getByText('Only in Work').waitFor({ state: 'detached' });
  expect((await userNamed('Barbara')).projects).toBe(null);
  await organization.call('PATCH', `/api/users/${barbara.id}`, { disabled: true });
  await page.getByRole('button', { name: 'Erase Barbara' }).click();
  await visitor.isGood('settings-erase-user');
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Barbara has been erased.').waitFor();
  await entry(visitor, 'Barbara').waitFor({ state: 'detached' });
  const { data } = await organization.call<{ users: User[] }>('GET', '/api/users');
  expect(data.users.find(({ id }) => id === barbara.id)?.email).toContain('erased');
  // Nothing can be changed of the user any more.
  await entry(visitor, 'Erased user').first().waitFor();
  expect(await entry(visitor, 'Erased user').getByRole('button').count()).toBe(0);
});

test('what a user may not do is not offered', async () => {
  await newUser('Edsger', 'owner');
  const reader = await newKey('A reader', ['api-keys:read', 'users:read']);
  const visitor = await stage.visit('settings', { apiKey: reader.key });
  const { page } = visitor;
  const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
  await entry(visitor, 'A reader').waitFor();
  expect(await sections.allTextContents()).toEqual([
    ...['API keys', 'Users', 'Roles', 'Sessions', 'Connected apps', 'Health'],
  ]);
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  for (const section of ['Users', 'Roles', 'Sessions']) {
    await sections.filter({ hasText: section }).click();
    await page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading') })
      .first()
      .waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  }
  // A user who may change users, but may not do everything an owner may, cannot change an owner.
  const clerk = await newKey('A clerk', ['users:read', 'users:write', 'projects:read']);
  const other = await stage.visit('settings/users', { apiKey: clerk.key });
  await entry(other, 'Edsger').getByText('Owner').waitFor();
  expect(await entry(other, 'Edsger').getByRole('button').count()).toBe(0);
  // What is one's own is for everybody.
  const nobody = await newKey('Without settings', ['work-items:read', 'projects:read']);
  const worker = await stage.visit('settings', { apiKey: nobody.key });
  await worker.page.getByRole('heading', { name: 'Connected apps' }).waitFor();
  expect(await worker.page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents()).toEqual([
    'Connected apps',
    'Health',
  ]);
});

test('a failure says so, and so does a list that cannot be loaded', async () => {
  const visitor = await stage.visit('settings/keys');
  const { page } = visitor;
  await entry(visitor, 'First key').waitFor();
  await page.route('**/api/api-keys*', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
  await visitor.isGood('settings-failed');
  await page.unroute('**/api/api-keys*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await entry(visitor, 'First key').waitFor();

  await page.goto(`${stage.url}/console/settings/users`);
  // The last owner cannot be removed: it says so in the service's own words.
  const own = (await organization.call<{ user: { name: string } }>('GET', '/api/me')).data.user.name;
  await organization.call('PATCH', `/api/users/${(await userNamed('Edsger')).id}`, { disabled: true });
  await page.getByRole('button', { name: `Role of ${own}` }).click();
  await page.getByRole('menuitemradio', { name: 'Viewer' }).click();
  await page.getByRole('button', { name: 'Change role' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  expect((await rolesOf()).get(own)).toBe('owner');
});

async function userNamed(name: string): Promise<User> {
  const { data } = await organization.call<{ users: User[] }>('GET', '/api/users');
  const found = data.users.find((user) => user.name === name);
  if (!found) throw new Error(`There is no user ${name}.`);
  return found;
}

test('a source is created, its tag copied and its widget tried, and it is changed and deleted', async () => {
  const visitor = await stage.visit('settings/sources');
  const { page } = visitor;
  await page.getByText('There are no sources yet.').waitFor();
  await visitor.isGood('settings-sources-empty');
  await page.getByRole('button', { name: 'New source' }).click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Require a captcha').uncheck();
  await page.getByLabel('Erase feedback after (days)').fill('90');
  await visitor.isGood('settings-new-source');
  await page.getByRole('button', { name: 'Create' }).click();
  await entry(visitor, 'Shop').getByText('Erased after 90 days').waitFor();
  const perDay = async () =>
    (await organization.call<{ feedbackPerDay: number | null }>('GET', '/api/organization')).data.feedbackPerDay;
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByLabel('At most in a day').fill('5000');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(await perDay()).toBe(5_000);
  // Still in the field.
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await expect.poll(perDay).toBe(null);

  await page.getByRole('button', { name: 'Tag and preview of Shop' }).click();
  const preview = page.frameLocator('iframe');
  await preview.getByRole('button', { name: 'Feedback' }).waitFor();
  await visitor.isGood('settings-source-tag');
  await choose(page, 'Language', 'Deutsch');
  await choose(page, 'Theme', 'Dark');
  await choose(page, 'Position', 'Bottom left');
  const [source] = (await organization.call<Source[]>('GET', '/api/feedback/sources')).data;
  const tag = `<script src="${stage.url}/widget.js" data-public-key="${source?.publicKey}" data-locale="de" data-theme="dark" data-position="bottom-left" async></script>`;
  expect(await page.getByRole('dialog').locator('pre').textContent()).toBe(tag);
  await preview.getByRole('button', { name: 'Feedback' }).click();
  await preview.getByRole('textbox', { name: 'Ihre Nachricht' }).fill('Das gefällt mir.');
  await preview.getByRole('button', { name: 'Senden' }).click();
  const sent = async () => {
    const { data } = await organization.call<{ items: FeedbackItem[] }>('GET', '/api/feedback/items');
    return data.items.map(({ message }) => message);
  };
  await expect.poll(sent).toEqual(['Das gefällt mir.']);
  await page.keyboard.press('Escape');
  if (await page.getByRole('dialog').isVisible()) await page.getByRole('button', { name: 'Close' }).click();

  // Counted some seconds later, since gateways report them together.
  const outcomes = async () =>
    (await organization.call<{ days: unknown[] }>('GET', `/api/feedback/sources/${source?.id}/outcomes`)).data.days;
  await expect.poll(async () => (await outcomes()).length).toBe(1);
  await page.getByRole('button', { name: 'Outcomes of Shop' }).click();
  await page.getByRole('row', { name: / 1$/ }).waitFor();
  await visitor.isGood('settings-source-outcomes');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit Shop' }).press('Enter');
  await page.getByLabel('Allowed websites').fill('shop.example.com\n*.example.org');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
  await entry(visitor, 'Shop').getByText('shop.example.com, *.example.org').waitFor();
  await page.getByRole('button', { name: 'Edit Shop' }).press('Enter');
  await page.getByLabel('Set one for this source').check();
  await page.getByLabel('Per IP address').fill('5');
  await page.getByLabel('Within (seconds)').fill('90');
  await visitor.isGood('settings-source-limited');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
  await entry(visitor, 'Shop').getByText('At most 5 per IP address and 600 in all within 90 s').waitFor();
  await page.getByRole('button', { name: 'Edit Shop' }).press('Enter');
  await page.getByLabel('Set one for this source').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
  await entry(visitor, 'Shop').getByText('At most').waitFor({ state: 'detached' });
  const changed = (await organization.call<Source[]>('GET', '/api/feedback/sources')).data;
  expect(changed.map(({ rateLimit }) => rateLimit)).toEqual([undefined]);
  await page.getByRole('button', { name: 'Disable Shop' }).press('Enter');
  await entry(visitor, 'Shop').getByText('Disabled').waitFor();
  await visitor.isGood('settings-sources');

  await page.getByRole('button', { name: 'Delete Shop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  // What people wrote is deleted only with a confirmation of its own.
  await page.getByRole('dialog', { name: 'Erase what was sent by Shop?' }).waitFor();
  await visitor.isGood('settings-source-erase');
  await page.getByRole('button', { name: 'Delete and erase' }).click();
  await page.getByText('There are no sources yet.').waitFor();
  expect(await sent()).toEqual(['']);
});

test('a user who may only read feedback gets the tag and nothing else of a source', async () => {
  await organization.call('POST', '/api/feedback/sources', { name: 'Website', allowedDomains: ['www.example.com'] });
  const reader = await newKey('A reader of feedback', ['feedback:read']);
  const visitor = await stage.visit('settings', { apiKey: reader.key });
  await entry(visitor, 'Website').waitFor();
  const buttons = entry(visitor, 'Website').getByRole('button');
  expect(await visitor.page.getByRole('button', { name: /New|Edit|Disable|Delete/ }).count()).toBe(0);
  expect(await buttons.allTextContents()).toEqual(['Tag and preview', 'Outcomes']);
  await buttons.first().click();
  await visitor.page.getByText('is refused unless localhost').waitFor();
});

test.each(['de-DE', 'tr-TR', 'ja-JP'])(
  'the labels and names of controls agree, and fit the screen, in %s too',
  async (locale) => {
    const language = locale.slice(0, 2);
    await organization.call('POST', '/api/feedback/sources', { name: locale, allowedDomains: ['www.example.com'] });
    const visitor = await stage.visit('settings', { locale });
    for (const section of ['keys', 'users', 'sessions', 'sources']) {
      const link = visitor.page.locator(`nav a[href*="settings/${section}"]`);
      await link.click();
      await visitor.page.locator('[aria-current=page]').and(link).waitFor();
      await visitor.page
        .getByRole('main')
        .getByRole('listitem')
        .filter({ has: visitor.page.getByRole('heading') })
        .first()
        .waitFor();
      expect(await visitor.page.evaluate(() => document.documentElement.lang)).toBe(language);
      await visitor.isGood(`settings-${section}-${language}`);
    }
  },
);

test('what others change while the form of a role, a source, a webhook or a label is open stays', async () => {
  const { call, projectId } = organization;
  const { data: role } = await call<RoleRecord>('POST', '/api/roles', {
    name: 'Reader',
    permissions: ['projects:read', 'users:read'],
  });
  const { data: source } = await call<Source>('POST', '/api/feedback/sources', { name: 'Shop', retentionDays: 30 });
  const { data: webhook } = await call<Webhook>('POST', '/api/webhooks', {
    ...{ url: 'https://hooks.example.com/a', types: ['*'] },
  });
  const { data: label } = await call<Label>('POST', `/api/projects/${projectId}/labels`, {
    ...{ name: 'bug', colour: '#aa0000' },
  });
  const { page } = await stage.visit('settings/roles', { apiKey: organization.apiKey });
  const dialog = page.getByRole('dialog');
  const change = async (field: string, text: string) => {
    await dialog.getByLabel(field, { exact: true }).fill(text);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await page.getByRole('button', { name: 'Edit Reader' }).click();
  await dialog.waitFor();
  await call('PATCH', `/api/roles/${role.id}`, { permissions: ['projects:read'] });
  await change('Name', 'Reads');
  const { data: listed } = await call<{ roles: RoleRecord[] }>('GET', '/api/roles');
  expect(listed.roles.find(({ id }) => id === role.id)).toMatchObject({
    name: 'Reads',
    permissions: ['projects:read'],
  });

  await page.goto(`${stage.url}/console/settings/sources`);
  await page.getByRole('button', { name: 'Edit Shop' }).click();
  await dialog.waitFor();
  await call('PATCH', `/api/feedback/sources/${source.id}`, { retentionDays: 7, allowedDomains: ['shop.example'] });
  await change('Name', 'Our shop');
  expect((await call('GET', `/api/feedback/sources/${source.id}`)).data).toMatchObject({
    ...{ name: 'Our shop', retentionDays: 7, allowedDomains: ['shop.example'] },
  });

  await page.goto(`${stage.url}/console/settings/webhooks`);
  await page.getByRole('button', { name: /^More for/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog.waitFor();
  await call('PATCH', `/api/webhooks/${webhook.id}`, { types: ['feedback.*'] });
  await change('Description', 'For the shop');
  expect((await call('GET', `/api/webhooks/${webhook.id}`)).data).toMatchObject({
    ...{ description: 'For the shop', types: ['feedback.*'] },
  });

  await page.goto(`${stage.url}/console/settings/project?part=labels`);
  await page.getByRole('button', { name: 'Edit bug' }).click();
  await dialog.waitFor();
  await call('PATCH', `/api/projects/${projectId}/labels/${label.id}`, { colour: '#1f6feb' });
  await change('Name', 'defect');
  const labels = async () => (await call<Label[]>('GET', `/api/projects/${projectId}/labels`)).data;
  expect(await labels()).toMatchObject([{ name: 'defect', colour: '#1f6feb' }]);
});
