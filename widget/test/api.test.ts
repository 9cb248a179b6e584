import { expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();
const { scene } = stage;

test('a page can open and close the form without the button', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visitor();
  await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: { ...source.tag, 'data-launcher': 'none' } }));
  await visitor.page.waitForFunction(() => window.WorktrackFeedback);
  await visitor.page.evaluate(() => window.WorktrackFeedback?.open());
  await visitor.dialog.waitFor();
  expect(await visitor.launcher.count()).toBe(0);
  await visitor.page.evaluate(() => window.WorktrackFeedback?.close());
  await visitor.dialog.waitFor({ state: 'hidden' });
});

test('what the page fills in never replaces what a person has written', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  const open = (message: string) =>
    visitor.page.evaluate((text) => window.WorktrackFeedback?.open({ message: text, category: 'bug' }), message);
  await open('Order 1234 failed: ');
  await visitor.dialog.waitFor();
  expect(await visitor.message.inputValue()).toBe('Order 1234 failed: ');
  expect(await visitor.page.getByRole('radio', { name: 'Problem' }).isChecked()).toBe(true);
  await visitor.write('Order 1234 failed: no card was accepted.');
  await visitor.page.keyboard.press('Escape');
  await open('Order 5678 failed: ');
  await visitor.dialog.waitFor();
  expect(await visitor.message.inputValue()).toBe('Order 1234 failed: no card was accepted.');
});

test('the address of a user known to the page is filled in, can be changed, and follows who is signed in', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  const identify = (email: string) =>
    visitor.page.evaluate((address) => window.WorktrackFeedback?.identify({ email: address }), email);
  await identify('ada@example.com');
  await visitor.open();
  expect(await visitor.email.inputValue()).toBe('ada@example.com');
  await identify('grace@example.com');
  await expect.poll(() => visitor.email.inputValue()).toBe('grace@example.com');
  await visitor.email.fill('private@example.com');
  await identify('ada@example.com');
  await (await visitor.write('From somebody.')).send();
  await visitor.isThanked();
  expect(await source.inbox()).toMatchObject([{ email: 'private@example.com' }]);
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  expect(await visitor.email.inputValue()).toBe('ada@example.com');
});

test('a page hears what happens, as long as it listens, and its own errors stay its own', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  const heard: unknown[] = [];
  await visitor.page.exposeFunction('heard', (...event: unknown[]) => heard.push(event));
  await visitor.page.evaluate(() => {
    const note = (globalThis as unknown as { heard(...event: unknown[]): void }).heard;
    const widget = window.WorktrackFeedback;
    for (const name of ['open', 'close', 'submitted', 'error'] as const) {
      widget?.on(name, () => {
        throw new Error(`The page's own listener to ${name} is broken`);
      });
      widget?.on(name, (detail) => note(name, detail));
    }
    const end = widget?.on('open', () => note('never'));
    end?.();
  });
  await (await (await visitor.open()).write('Heard.')).send();
  await visitor.isThanked();
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  await (await visitor.write('Heard.')).send();
  await visitor.isTold('We already have this message');
  // As while it cannot be stored.
  const accepted = { success: true, data: { status: 'accepted' } };
  await visitor.page.route('**/feedback/ingest', (route) => route.fulfill({ status: 202, json: accepted }));
  await (await visitor.write('Accepted.')).send();
  await visitor.isThanked();
  await visitor.page.keyboard.press('Escape');
  await expect.poll(() => heard.length).toBe(5);
  const [item] = await source.inbox();
  expect(heard).toEqual([
    ['open', undefined],
    ['submitted', { id: item?.id, status: 'new', createdAt: item?.createdAt }],
    ['error', expect.objectContaining({ code: 'DUPLICATE_FEEDBACK', status: 409 })],
    ['submitted', { id: null }],
    ['close', undefined],
  ]);
});

test('the colour, the corner and the text of the button are the page’s to choose', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, {
    tag: { ...source.tag, 'data-accent': '#0f766e', 'data-position': 'bottom-left', 'data-label': 'Tell us' },
  });
  expect(await visitor.launcher.textContent()).toBe('Tell us');
  const look = await visitor.launcher.evaluate((button) => {
    const { backgroundColor, left } = getComputedStyle(button);
    return { backgroundColor, left };
  });
  expect(look).toEqual({ backgroundColor: 'rgb(15, 118, 110)', left: '20px' });
});

test('the form uses a server other than the one the script was loaded from', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visitor();
  const elsewhere = 'http://cdn.localhost';
  await visitor.page.route(`${elsewhere}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: stage.baseUrl + pathname }) });
  });
  await visitor.page.goto(scene.site.add(elsewhere, { tag: { ...source.tag, 'data-base-url': stage.baseUrl } }));
  await (await (await visitor.open()).write('By way of a CDN.')).send();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});
