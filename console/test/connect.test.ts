import type { TrustRule } from '@worktrack/contracts/keys/trust-rules';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppServer, askToken, authorizeParameters, newVerifier, sendMessage } from '../../test/support/app.ts';
import { TestIssuer } from '../../test/support/issuer.ts';
import { choose } from './support/choose.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();
let apps: AppServer;
beforeAll(async () => {
  apps = await AppServer.start();
});
afterAll(() => apps?.stop());

/** Where a browser arrives that an app has sent. */
async function arrive(clientId: string, verifier: string, more: Readonly<Record<string, string | undefined>> = {}) {
  const parameters = authorizeParameters(clientId, verifier, { redirect_uri: `${apps.url}/callback`, ...more });
  return `connect/authorize?${parameters}`;
}

test('an app is connected by a person, who sees what it may do, is asked again for more, and disconnects it', async () => {
  const clientId = apps.publish({ client_uri: 'https://app.example/' });
  const verifier = newVerifier();
  const visitor = await stage.visit('../connect/authorize?client_id=x', { apiKey: null });
  const { page } = visitor;
  // Nobody is signed in: that comes first, and what was asked for is still there afterwards.
  await page.goto(`${stage.url}/${await arrive(clientId, verifier)}`);
  await page.getByLabel('API key').fill(stage.organization.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Connect Test app?' }).waitFor();
  // However much of this sentence a name has: it is seen where it ends.
  await page.getByText(`“Test app” of ${new URL(apps.url).host} wants to work here in your name.`).waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  const write = page.getByLabel('Create, claim, change, move and delete work items');
  expect([await write.isChecked(), await page.getByLabel('Read feedback').isChecked()]).toEqual([false, true]);
  await visitor.isGood('connect');
  await page.getByRole('button', { name: 'All that it asks for' }).click();
  expect(await write.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Read only' }).click();
  await page.getByLabel('Read feedback').uncheck();
  await page.getByLabel('Only in these projects').check();
  const allow = page.getByRole('button', { name: 'Allow' });
  expect(await allow.getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('Work', { exact: true }).check();
  await choose(page, 'For how long', 'For 7 days');
  await allow.click();
  await page.waitForURL(`${apps.url}/callback?**`);
  const { searchParams } = new URL(page.url());
  const { body } = await askToken(stage.url, {
    ...{ grant_type: 'authorization_code', code: searchParams.get('code') ?? '', code_verifier: verifier },
    ...{ client_id: clientId, redirect_uri: `${apps.url}/callback` },
  });
  expect(body.scope).toBe('projects:read work-items:read');

  // What it lacks, it is refused; that is offered when it asks again.
  const create = { method: 'tools/call', params: { name: 'create_task', arguments: { title: 'From the app' } } };
  expect((await sendMessage(stage.url, body.access_token, create)).status).toBe(403);
  const settings = await stage.visit('settings/apps');
  const row = settings.page
    .getByRole('listitem')
    .filter({ has: settings.page.getByRole('heading', { level: 2, name: 'Test app' }) });
  await row.getByText('Only in Work').waitFor();
  const attempt = settings.page
    .getByRole('listitem')
    .filter({ has: settings.page.getByRole('heading', { level: 3, name: 'Test app' }) });
  const refresh = settings.page.getByRole('button', { name: 'Refresh' });
  await expect
    .poll(async () => {
      await refresh.click();
      return attempt.getByText('It works.').count();
    })
    .toBe(1);
  await settings.isGood('settings-apps');
  await settings.page.goto(`${stage.url}/${await arrive(clientId, newVerifier())}`);
  await settings.page.getByText('It has needed this').waitFor();
  expect(await settings.page.getByLabel('Create, claim, change').isChecked()).toBe(true);
  expect(await settings.page.getByLabel('Read feedback').isChecked()).toBe(false);
  await settings.page.getByRole('button', { name: 'Deny' }).click();
  await settings.page.waitForURL(`${apps.url}/callback?error=access_denied**`);

  await settings.page.goto(`${stage.url}/console/settings/apps`);
  await settings.page.getByText('It was denied. If that was a mistake').waitFor();
  await settings.page.getByRole('button', { name: 'Disconnect Test app' }).click();
  await settings.page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await settings.page.getByText('Test app is disconnected.').waitFor();
  expect((await sendMessage(stage.url, body.access_token, { method: 'tools/list' })).status).toBe(401);
});

test('the second press of a double click that was meant for what was in front before allows nothing', async () => {
  const visitor = await stage.visit('board');
  const { page } = visitor;
  /** @returns whether it is being done */
  const press = () =>
    page.evaluate(async () => {
      const allow = document.querySelector('form.stack button[type=submit]') as HTMLButtonElement;
      allow.click();
      for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
      return allow.getAttribute('aria-disabled') === 'true';
    });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const allow = document.querySelector<HTMLButtonElement>('form.stack button[type=submit]');
      if (!allow) return;
      observer.disconnect();
      allow.click();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${stage.url}/${await arrive(apps.publish(), newVerifier())}`);
  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.waitFor();
  // The window that was in front is closed.
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  expect(await press()).toBe(false);
  const pressedAt = await page.evaluate(() => performance.now());
  await page.waitForFunction((at) => performance.now() - at > 500, pressedAt);
  await allow.click();
  await page.waitForURL(`${apps.url}/callback?**`);
});

test('an app that asks in a wrong way is shown with the reason, and is sent nowhere by itself', async () => {
  const visitor = await stage.visit('board');
  const { page } = visitor;
  await page.goto(`${stage.url}/${await arrive(apps.publish(), 'x', { code_challenge: undefined })}`);
  await page.getByText('It does not protect its code').waitFor();
  await visitor.isGood('connect-problem');
  expect(await page.getByRole('link', { name: 'Back to the app' }).getAttribute('href')).toContain(
    'error=invalid_request',
  );
  await page.goto(`${stage.url}/${await arrive(apps.publish(), 'x', { redirect_uri: 'https://evil.example/' })}`);
  await page.getByText('It wants you to be sent to an address that is none of its own.').waitFor();
  expect(await page.getByRole('link').count()).toBe(0);
});

test('a rule of trust is made without knowing the ids, which are taken from the try that it refuses', async () => {
  const issuer = await TestIssuer.start();
  try {
    const visitor = await stage.visit('settings/trust');
    const { page } = visitor;
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name').fill('Shop');
    await choose(page, 'Where the job runs', 'GitLab CI');
    await page.getByLabel('Issuer').fill(issuer.url);
    const claims = page.getByLabel('What a token must say');
    expect(await claims.inputValue()).toContain('project_id = 0');
    await visitor.isGood('settings-new-rule');
    await claims.fill((await claims.inputValue()).replace('ref_protected = true', ''));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('must be "true"').waitFor();
    await claims.fill(`${await claims.inputValue()}\nref_protected = true`);
    await page.getByLabel('Tokens for one JWT').fill('many');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('reuse').waitFor();
    await page.getByLabel('Work', { exact: true }).check();
    await page.getByLabel('Tokens for one JWT').fill('2');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Saved.').waitFor();

    const { data } = await stage.organization.call<TrustRule[]>('GET', '/api/trust-rules');
    const [rule] = data;
    expect(rule).toMatchObject({ reuse: 2, projects: [stage.organization.projectId] });
    await page.getByText('Only in Work').waitFor();
    // What a job has to be told, for its issuer and for the command.
    await page.getByText(rule?.audience ?? '', { exact: true }).waitFor();
    const job = { aud: rule?.audience, project_id: '4711', namespace_id: '42', ref_protected: 'true' };
    const exchange = () =>
      askToken(
        stage.url,
        { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: issuer.jwt(job) },
        '/oauth/token',
      );
    expect((await exchange()).status).toBe(400);
    await page.getByRole('button', { name: 'Refused tries of Shop' }).click();
    await page.getByRole('cell', { name: '4711' }).waitFor();
    await visitor.isGood('settings-tries');
    await page.getByRole('button', { name: 'Take these ids into the rule' }).click();
    await page.getByText('project_id = 4711, namespace_id = 42').waitFor();
    await page.getByRole('dialog', { name: 'Take these ids' }).getByRole('button', { name: 'Take these ids' }).click();
    await page.getByText('The ids are in the rule now.').waitFor();
    expect((await exchange()).status).toBe(200);
    await page.keyboard.press('Escape');
    await visitor.isGood('settings-trust');
    await page.getByRole('button', { name: 'More for Shop' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Shop deleted.').waitFor();
    expect((await exchange()).status).toBe(400);
  } finally {
    await issuer.stop();
  }
});

test('an address that asks for nothing, or was cut off, says that one has to start again', async () => {
  for (const id of [crypto.randomUUID(), '01a21df3']) {
    const { page } = await stage.visit(`connect/${id}`);
    await page.getByRole('heading', { name: 'This app cannot be connected' }).waitFor();
    await page.getByText('Start again from the app.').waitFor();
  }
});
