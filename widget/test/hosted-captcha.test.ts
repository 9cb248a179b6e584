import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { startSystem } from '../../test/support/system.ts';
import { createSource } from './support/source.ts';
import { Scene } from './support/visitor.ts';

const SITE_KEY = '1x00000000000000000000AA';
const SCRIPTS = {
  turnstile: { url: 'https://challenges.cloudflare.com/**', global: 'turnstile' },
  hcaptcha: { url: 'https://js.hcaptcha.com/**', global: 'hcaptcha' },
  recaptcha: { url: 'https://www.google.com/recaptcha/**', global: 'grecaptcha' },
} as const;
type Provider = keyof typeof SCRIPTS;

/** The providers' side of siteverify: a token is valid once. */
const spent = new Set<string>();
const verifier = createServer(async (request, response) => {
  let form = '';
  for await (const chunk of request) form += chunk;
  const token = new URLSearchParams(form).get('response') ?? '';
  const success = token.startsWith('solved-') && !spent.has(token);
  spent.add(token);
  response.end(
    JSON.stringify({ success, hostname: 'shop.localhost', 'error-codes': success ? [] : ['timeout-or-duplicate'] }),
  );
});

const scene = new Scene();
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve));
  const env = {
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SITE_KEY: SITE_KEY,
    CAPTCHA_SECRET_KEY: 'secret',
    CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/`,
  };
  [system] = await Promise.all([startSystem({ env }), scene.start()]);
  organization = await system.newOrganization();
});
afterAll(async () => {
  await scene.stop();
  await system?.stop();
  verifier.close();
});

/**
 * The interface that the three providers' scripts share, according to their documentation of explicit rendering. The user's part is a button; the
 * overlay (hCaptcha, reCAPTCHA) is placed at the end of the body, as their puzzles are.
 */
function providerScript(global: string, overPage: boolean): string {
  return `
    let count = 0;
    const boxes = [];
    window.${global} = {
      ${global === 'grecaptcha' ? 'ready: (run) => setTimeout(run),' : ''}
      render(container, options) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = 'I am human';
        button.dataset.sitekey = options.sitekey;
        button.dataset.theme = options.theme;
        const solve = () => { options.callback('solved-${global}-' + Date.now() + '-' + ++count); };
        button.addEventListener('click', () => {
          if (!${overPage}) { solve(); return; }
          const puzzle = document.createElement('div');
          puzzle.style.cssText = 'position:fixed;inset:0;z-index:2000000000;background:white';
          puzzle.innerHTML = '<button type="button">All the lamps</button>';
          puzzle.firstChild.addEventListener('click', () => { puzzle.remove(); solve(); });
          document.body.append(puzzle);
        });
        container.append(button);
        boxes.push({ options, button });
        return boxes.length - 1;
      },
      reset(id) { boxes[id].button.dataset.resets = Number(boxes[id].button.dataset.resets ?? 0) + 1; },
      fail() { boxes.forEach(({ options }) => options['error-callback']('network-error')); },
      expire() { boxes.forEach(({ options }) => options['expired-callback']()); },
    };`;
}

async function visit(provider: Provider, tag: Record<string, string> = {}) {
  const source = await createSource(organization, { requireCaptcha: true });
  const visitor = await scene.visitor();
  const { url, global } = SCRIPTS[provider];
  await visitor.page.route(url, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: providerScript(global, provider !== 'turnstile') }),
  );
  // One gateway has one provider; for the others, the page is given a changed answer.
  await visitor.page.route('**/feedback/widget/bootstrap*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.data.config.captcha.provider = provider;
    await route.fulfill({ response, json: body });
  });
  await visitor.page.goto(scene.site.add(system.baseUrl, { tag: { ...source.tag, ...tag } }));
  await visitor.open();
  const box = visitor.page.locator('button[data-sitekey]');
  return { source, visitor, box };
}

test('the bootstrap gives the page the provider and its site key', async () => {
  const source = await createSource(organization, { requireCaptcha: true });
  const answer = await fetch(`${system.baseUrl}/feedback/widget/bootstrap?publicKey=${source.publicKey}`);
  expect((await answer.json()).data.config).toEqual({
    requireCaptcha: true,
    captcha: { provider: 'turnstile', siteKey: SITE_KEY },
  });
});

describe.each(['turnstile', 'hcaptcha', 'recaptcha'] as const)('%s', (provider) => {
  test('its box is shown in the form, and what is sent waits for the person', async () => {
    const { source, visitor, box } = await visit(provider, { 'data-theme': 'dark' });
    await visitor.write('Not a robot.');
    await box.waitFor();
    expect(await box.getAttribute('data-sitekey')).toBe(SITE_KEY);
    expect(await box.getAttribute('data-theme')).toBe('dark');
    await visitor.picture(`captcha-${provider}`);
    await visitor.send();
    await visitor.dialog.locator('.busy').waitFor();
    await box.click();
    if (provider !== 'turnstile') await visitor.page.getByRole('button', { name: 'All the lamps' }).click();
    await visitor.isThanked();
    expect(await source.inbox()).toMatchObject([{ message: 'Not a robot.' }]);
    expect(await box.getAttribute('data-resets')).toBe('1');
  });
});

test('a provider’s failure is reported, and can be retried', async () => {
  const { source, visitor, box } = await visit('turnstile');
  await (await visitor.write('Once more.')).send();
  await box.waitFor();
  await visitor.page.evaluate('turnstile.fail()');
  await visitor.isTold('We could not confirm that you are human.');
  await visitor.send();
  await box.click();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});

test('a token that has become too old in the form is not sent', async () => {
  const { source, visitor, box } = await visit('turnstile');
  await visitor.write('Took a walk.');
  await box.click();
  await visitor.page.evaluate('turnstile.expire()');
  await visitor.send();
  await visitor.dialog.locator('.busy').waitFor();
  await box.click();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});

test('a form that is not modal, because of a provider’s puzzle, still traps the keyboard and closes on Escape', async () => {
  const { visitor, box } = await visit('hcaptcha');
  await visitor.write('Keyboard.');
  await box.waitFor();
  const inside = () => visitor.page.evaluate(() => document.activeElement?.closest('worktrack-feedback') !== null);
  for (let press = 0; press < 12; press++) {
    await visitor.page.keyboard.press('Tab');
    expect(await inside()).toBe(true);
  }
  await visitor.message.focus();
  await visitor.page.keyboard.press('Escape');
  await visitor.dialog.waitFor({ state: 'hidden' });
  expect(await visitor.launcher.evaluate((button) => button.matches(':focus'))).toBe(true);
});

test('a provider whose script is blocked is reported, with what the policy of the page needs', async () => {
  const source = await createSource(organization, { requireCaptcha: true });
  const visitor = await scene.visit(system.baseUrl, {
    tag: source.tag,
    policy: `default-src 'none'; img-src data:; script-src ${system.baseUrl}; connect-src ${system.baseUrl}`,
  });
  await (await (await visitor.open()).write('Refused.')).send();
  await visitor.isTold('We could not confirm that you are human.');
  expect(visitor.console.join('\n')).toContain('needs script-src https://challenges.cloudflare.com');
});
