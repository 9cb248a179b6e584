import { describe, expect, test } from 'vitest';
import { axeFindings } from '../../test/support/axe.ts';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
const { scene } = stage;

const LOOKS = [
  { look: 'light', options: {} },
  { look: 'dark', options: { colorScheme: 'dark' } },
  { look: 'mobile', options: { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true } },
  { look: 'forced-colors', options: { forcedColors: 'active' } },
] as const;

test.each(LOOKS)('axe finds nothing in any state of the form: $look', async ({ look, options }) => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag }, { reducedMotion: 'reduce', ...options });
  const found: Record<string, string[]> = {};
  const lookAt = async (state: string) => {
    await visitor.picture(`${look}-${state}`);
    found[state] = await axeFindings(visitor.page);
  };
  await lookAt('closed');
  await visitor.open();
  await lookAt('open');

  await (await visitor.write('', 'no address')).send();
  await visitor.dialog.locator('#message-error').filter({ hasText: /./ }).waitFor();
  await lookAt('faulty-fields');

  await visitor.page.route('**/feedback/ingest', (route) => route.fulfill({ status: 413 }), { times: 1 });
  await (await visitor.write('Seen by axe.', 'a@example.com')).send();
  await visitor.isTold(/./);
  await lookAt('notice');

  const held = Promise.withResolvers<void>();
  await visitor.page.route('**/feedback/ingest', (route) => held.promise.then(() => route.continue()));
  await visitor.send();
  await visitor.dialog.locator('.busy').waitFor();
  await lookAt('under-way');
  held.resolve();
  await visitor.isThanked();
  await lookAt('thanks');

  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((state) => [state, []])));
});

test.each(['#ffd400', '#1e1b4b', '#777'])('the text on an accent colour of %s is readable', async (accent) => {
  const source = await createSource(stage.organization);
  const tag = { ...source.tag, 'data-accent': accent };
  const visitor = await scene.visit(stage.baseUrl, { tag }, { reducedMotion: 'reduce' });
  const inBothThemes = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme });
      expect(await axeFindings(visitor.page)).toEqual([]);
    }
  };
  await inBothThemes();
  await visitor.open();
  await inBothThemes();
});

test('no category is preselected, and `other` is what is then sent', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  await visitor.open();
  expect(await visitor.page.getByRole('radio').count()).toBe(6);
  expect(await visitor.page.getByRole('radio', { checked: true }).count()).toBe(0);
  await (await visitor.write('About nothing in particular.')).send();
  await visitor.isThanked();
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  expect(await visitor.page.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await source.inbox()).toMatchObject([{ category: 'other' }]);
});

test('the page that feedback is about looks as it did before', async () => {
  const source = await createSource(stage.organization);
  const body =
    '<div id="there" style="position: fixed; inset: 0 auto auto 0; width: 40px; height: 40px; background: #c0ffee"></div>';
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag, body }, { reducedMotion: 'reduce' });
  const seen = () => visitor.page.screenshot({ clip: { x: 0, y: 0, width: 60, height: 60 }, animations: 'disabled' });
  const before = await seen();
  await visitor.open();
  expect((await seen()).equals(before)).toBe(true);
});

test.each([
  ['a phone held sideways', { width: 640, height: 320 }],
  ['a page zoomed in four times', { width: 320, height: 256 }],
  ['a low window', { width: 1000, height: 420 }],
])('title and × stay in view, however far the form is scrolled: %s', async (_, viewport) => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag }, { viewport, reducedMotion: 'reduce' });
  await visitor.open();
  const inView = () =>
    visitor.dialog.evaluate((dialog) =>
      ['#title', '.close'].map((selector) => {
        const box = (dialog.querySelector(selector) as Element).getBoundingClientRect();
        const on = (dialog.getRootNode() as ShadowRoot).elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return box.top >= 0 && box.bottom <= innerHeight && on?.closest('.head') !== null;
      }),
    );
  expect(await inView()).toEqual([true, true]);
  expect(await visitor.dialog.evaluate((dialog) => dialog.scrollHeight > dialog.clientHeight)).toBe(true);
  await visitor.dialog.evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
  expect(await inView()).toEqual([true, true]);
  // And what has the focus is not hidden behind them.
  await visitor.sendButton.focus();
  await visitor.message.focus();
  const isCovered = await visitor.dialog.evaluate((dialog) => {
    const head = (dialog.querySelector('.head') as Element).getBoundingClientRect();
    return (dialog.querySelector('textarea') as Element).getBoundingClientRect().top < head.bottom - 1;
  });
  expect(isCovered).toBe(false);
  await visitor.dialog.getByRole('button', { name: 'Close' }).click();
  await visitor.dialog.waitFor({ state: 'hidden' });
});

describe('with the keyboard alone', () => {
  async function visit() {
    const source = await createSource(stage.organization);
    const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
    const { keyboard } = visitor.page;
    const focused = () =>
      visitor.page.evaluate(() => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        return active?.id || active?.getAttribute('value') || active?.className || active?.tagName;
      });
    return { source, visitor, keyboard, focused };
  }

  test('it is opened, filled in, sent and closed, and the focus is always where it is expected', async () => {
    const { source, visitor, keyboard, focused } = await visit();
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    expect(await focused()).toBe('launcher');
    await keyboard.press('Enter');
    await visitor.dialog.waitFor();
    expect(await focused()).toBe('message');
    await keyboard.press('Shift+Tab');
    expect(await focused()).toBe('other');
    await keyboard.press('ArrowLeft');
    expect(await focused()).toBe('praise');
    await keyboard.press('Tab');
    await keyboard.type('All by keyboard.');
    await keyboard.press('Tab');
    expect(await focused()).toBe('email');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await visitor.isThanked();
    await expect.poll(focused).toBe('sent');
    await keyboard.press('Escape');
    await visitor.dialog.waitFor({ state: 'hidden' });
    expect(await focused()).toBe('launcher');
    expect(await source.inbox()).toMatchObject([{ message: 'All by keyboard.', category: 'praise' }]);
  });

  test('Ctrl+Enter sends from within the message', async () => {
    const { visitor, keyboard } = await visit();
    await (await visitor.open()).message.pressSequentially('Quick.');
    await keyboard.press('Control+Enter');
    await visitor.isThanked();
  });

  test('the focus never goes behind the open form', async () => {
    const { visitor, keyboard } = await visit();
    await visitor.open();
    for (let press = 0; press < 20; press++) {
      await keyboard.press(press < 10 ? 'Tab' : 'Shift+Tab');
      // Between its last and its first stop the browser's own controls have the focus: then the page has none.
      const where = await visitor.page.evaluate(() => document.activeElement?.tagName);
      expect(['WORKTRACK-FEEDBACK', 'BODY']).toContain(where);
    }
  });

  test('the focus returns to whatever opened it, even inside a component of the page', async () => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visit(stage.baseUrl, {
      tag: source.tag,
      body: '<h1>Help</h1><div id="component"><template shadowrootmode="open"><button>Tell us</button></template></div>',
    });
    await visitor.page.evaluate(() => {
      const button = document.querySelector('#component')?.shadowRoot?.querySelector('button');
      button?.addEventListener('click', () => window.WorktrackFeedback?.open());
    });
    await visitor.page.getByRole('button', { name: 'Tell us' }).click();
    await visitor.dialog.waitFor();
    await keyboardEscape(visitor);
    const back = () =>
      visitor.page.evaluate(() => document.querySelector('#component')?.shadowRoot?.activeElement?.textContent);
    await expect.poll(back).toBe('Tell us');
  });

  test('what is typed does not trigger shortcuts of the page, which otherwise hears its keys everywhere', async () => {
    const { visitor, keyboard } = await visit();
    await visitor.page.evaluate(() => {
      document.addEventListener('keydown', ({ key }) => document.body.append(`[${key}]`));
    });
    await keyboard.press('s');
    await (await visitor.open()).message.pressSequentially('search');
    expect(await visitor.page.locator('body').textContent()).toMatch(/\[s\]\s*$/);
  });
});

async function keyboardEscape(visitor: Visitor): Promise<void> {
  await visitor.page.keyboard.press('Escape');
  await visitor.dialog.waitFor({ state: 'hidden' });
}

test('a screen reader says what the button is for, what the form is, and what becomes of it', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  expect(await visitor.launcher.getAttribute('aria-haspopup')).toBe('dialog');
  expect(await visitor.launcher.getAttribute('aria-expanded')).toBe('false');
  await visitor.open();
  expect(await visitor.launcher.getAttribute('aria-expanded')).toBe('true');
  expect(await visitor.dialog.ariaSnapshot()).toMatchInlineSnapshot(`
    "- dialog "Send feedback":
      - heading "Send feedback" [level=2]
      - paragraph: Tell us what works, what does not, and what is missing.
      - button "Close"
      - group "What is it about?":
        - text: What is it about?
        - radio "Problem"
        - text: Problem
        - radio "New feature"
        - text: New feature
        - radio "Improvement"
        - text: Improvement
        - radio "Question"
        - text: Question
        - radio "Praise"
        - text: Praise
        - radio "Other"
        - text: Other
      - text: Your message
      - textbox "Your message":
        - /placeholder: What is on your mind?
      - paragraph
      - paragraph
      - text: E-mail (optional)
      - textbox "E-mail (optional)"
      - paragraph
      - paragraph: Only if you would like an answer.
      - alert
      - paragraph: The address of this page and your language are sent along.
      - button "Send"
      - status"
  `);
  const status = visitor.dialog.getByRole('status');
  await visitor.page.route('**/feedback/ingest', () => {}, { times: 1 });
  await (await visitor.write('Heard.')).send();
  await status.filter({ hasText: 'Sending…' }).waitFor();
});

describe('dark and light', () => {
  const brightness = (visitor: Visitor) =>
    visitor.page
      .locator('worktrack-feedback dialog')
      .evaluate((dialog) => Number(getComputedStyle(dialog).backgroundColor.match(/\d+/)?.[0]));

  test.each([
    { theme: undefined, system: 'light', page: '', dark: false },
    { theme: undefined, system: 'dark', page: '', dark: true },
    { theme: 'auto', system: 'dark', page: ':root { color-scheme: light; }', dark: true },
    { theme: 'light', system: 'dark', page: '', dark: false },
    { theme: 'dark', system: 'light', page: '', dark: true },
    { theme: 'page', system: 'dark', page: '', dark: false },
    { theme: 'page', system: 'light', page: ':root { color-scheme: dark; }', dark: true },
    { theme: 'page', system: 'dark', page: ':root { color-scheme: light dark; }', dark: true },
  ] as const)('data-theme $theme, system $system, page "$page": dark $dark', async ({ theme, system, page, dark }) => {
    const source = await createSource(stage.organization);
    const tag = { ...source.tag, ...(theme && { 'data-theme': theme }) };
    const visitor = await scene.visit(stage.baseUrl, { tag, styles: page }, { colorScheme: system });
    expect((await brightness(visitor)) < 128).toBe(dark);
  });
});

test('what is written from right to left runs from right to left, in a form that does not', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: { ...source.tag, 'data-label': 'ملاحظات!' } });
  const directionOf = (field: typeof visitor.message) =>
    field.evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf(visitor.launcher.getByText('ملاحظات!'))).toBe('rtl');
  await visitor.open();
  expect(await directionOf(visitor.message)).toBe('ltr');
  await visitor.write('السعر خطأ!');
  expect(await directionOf(visitor.message)).toBe('rtl');
  expect(await directionOf(visitor.dialog)).toBe('ltr');
});
