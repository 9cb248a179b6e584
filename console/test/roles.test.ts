import type { ApiKey, User } from '@worktrack/contracts/keys/records';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';

// Whoever may do little is offered that, and nothing that is refused.

const stage = openStage();

async function keyOf({ call }: TestOrganization, permissions: readonly string[]): Promise<string> {
  const name = permissions.join();
  const { data: role } = await call<{ id: string }>('POST', '/api/roles', { name, permissions });
  const email = `${crypto.randomUUID()}@example.com`;
  const { data: user } = await call<User>('POST', '/api/users', { name, email, role: role.id });
  const { data } = await call<ApiKey & { key: string }>('POST', '/api/api-keys', {
    name,
    userId: user.id,
    permissions,
  });
  return data.key;
}

test.each([
  [['feedback:read', 'feedback:write'], 'inbox', ['Inbox', 'Settings']],
  [['work-items:read', 'work-items:write'], 'for-you', ['For you', 'Agents', 'Settings']],
  [['webhooks:read', 'webhooks:write'], 'settings', ['Settings']],
])(
  'with %s alone, one begins with the first screen that one may see, and none of them asks for what is refused',
  async (permissions, first, names) => {
    const organization = await stage.newOrganization();
    const item = await createItem(organization, { title: 'Seen', boardColumnId: 'Review' });
    const visitor = await stage.visit('', { apiKey: await keyOf(organization, permissions) });
    const { page } = visitor;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${new URL(page.url()).pathname}: ${response.url()}`);
    });
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/${first}`);
    const screens = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    expect((await screens.allTextContents()).map((name) => name.replace(/\d+$/, ''))).toEqual(names);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByText('lacks the permission').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New work item' }).count()).toBe(0);
    const addresses = await screens.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    if (permissions.includes('work-items:read')) addresses.push(`${stage.url}/console/items/${item.taskId}`);
    for (const address of addresses) {
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('alert').allTextContents(), address).toEqual([]);
    }
    await page.goto(`${stage.url}/console/board`);
    await page.getByText(/lacks the permission (projects|work-items):read/).waitFor();
    expect(refused).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  },
);
