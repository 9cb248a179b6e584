import { describe, expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
const { scene } = stage;

async function visit(changes: Parameters<typeof createSource>[1] = {}) {
  const source = await createSource(stage.organization, changes);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  await visitor.open();
  return { source, visitor };
}

describe('what was typed is kept', () => {
  test('when the form is closed, with its button, with Escape and by a click outside', async () => {
    const { visitor } = await visit();
    await visitor.write('Half a thou', 'a@example.com');
    await visitor.page.getByRole('radio', { name: 'Praise' }).check();
    for (const close of [
      () => visitor.dialog.getByRole('button', { name: 'Close' }).click(),
      () => visitor.page.keyboard.press('Escape'),
      () => visitor.page.mouse.click(20, 20),
    ]) {
      await close();
      await visitor.dialog.waitFor({ state: 'hidden' });
      await visitor.open();
      expect(await visitor.message.inputValue()).toBe('Half a thou');
      expect(await visitor.email.inputValue()).toBe('a@example.com');
      expect(await visitor.page.getByRole('radio', { name: 'Praise' }).isChecked()).toBe(true);
    }
  });

  test('a category that was chosen, even the last one, and none if none was', async () => {
    const { visitor } = await visit();
    const chosen = () => visitor.page.getByRole('radio', { checked: true }).count();
    expect(await chosen()).toBe(0);
    await visitor.write('Half a thou');
    await visitor.page.reload();
    await visitor.open();
    expect(await chosen()).toBe(0);
    await visitor.page.getByRole('radio', { name: 'Other' }).check();
    await visitor.page.reload();
    await visitor.open();
    expect(await visitor.page.getByRole('radio', { name: 'Other' }).isChecked()).toBe(true);
  });

  test('when the page is reloaded, and on another page of the site', async () => {
    const { source, visitor } = await visit();
    await visitor.write('Half a thou', 'a@example.com');
    await visitor.page.reload();
    await visitor.open();
    expect(await visitor.message.inputValue()).toBe('Half a thou');
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
    await visitor.open();
    expect([await visitor.message.inputValue(), await visitor.email.inputValue()]).toEqual([
      'Half a thou',
      'a@example.com',
    ]);
  });

  test('as another page of the site has left it, where the browser goes back to a page that it has kept', async () => {
    const { visitor } = await visit();
    await visitor.write('Half a thou', 'a@example.com');
    /** Chromium keeps no page while a test drives it: what other pages do meanwhile is done here, and what it then says. */
    const comeBack = (change: (name: string) => void) =>
      visitor.page.evaluate(`
        (${change})(Object.keys(sessionStorage)[0]);
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));`);
    await comeBack((name) => {
      const draft = JSON.parse(sessionStorage.getItem(name) ?? '');
      sessionStorage.setItem(name, JSON.stringify({ ...draft, message: 'Half a thought more' }));
    });
    expect(await visitor.message.inputValue()).toBe('Half a thought more');
    expect(await visitor.email.inputValue()).toBe('a@example.com');
    // It was sent there.
    await comeBack((name) => sessionStorage.removeItem(name));
    expect(await visitor.message.inputValue()).toBe('');
  });

  test('and is gone once it was sent, from the form and from the browser', async () => {
    const { visitor } = await visit();
    await (await visitor.write('A whole thought.')).send();
    await visitor.isThanked();
    expect(await visitor.page.evaluate(() => sessionStorage.length)).toBe(0);
    await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
    expect(await visitor.message.inputValue()).toBe('');
    expect(await visitor.message.evaluate((field) => field.matches(':focus'))).toBe(true);
  });

  test('if the page has no storage, for as long as the page exists', async () => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visitor();
    await refuseStorage(visitor);
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
    await (await visitor.open()).write('Without storage.');
    await visitor.page.keyboard.press('Escape');
    await (await visitor.open()).send();
    await visitor.isThanked();
    expect(await source.inbox()).toMatchObject([{ message: 'Without storage.' }]);
  });
});

async function refuseStorage({ page }: Visitor): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    }
  });
}

describe('a refusal is explained in words', () => {
  test('the same message again: it has already been received', async () => {
    const { source, visitor } = await visit();
    await (await visitor.write('Twice the same.')).send();
    await visitor.isThanked();
    await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
    await (await visitor.write('  twice THE same. ')).send();
    await visitor.isTold('We already have this message');
    await visitor.picture('duplicate');
    // Nothing went wrong, and it does not look so.
    expect(await visitor.notice.evaluate((notice) => notice.classList.contains('note'))).toBe(true);
    const colours = await visitor.dialog.evaluate((dialog) => {
      const colourOf = (selector: string) => getComputedStyle(dialog.querySelector(selector) as Element).color;
      return { icon: colourOf('.notice .icon'), help: colourOf('.help') };
    });
    expect(colours.icon).toBe(colours.help);
    expect(await visitor.message.inputValue()).toBe('  twice THE same. ');
    expect(await source.inbox()).toHaveLength(1);
  });

  test('too many, where nothing can be kept in the browser: when it may be sent again', async () => {
    const limits = { rateLimit: { perIp: 1, perSource: 100, windowSeconds: 60 } };
    const source = await createSource(stage.organization, limits);
    const visitor = await scene.visitor();
    await refuseStorage(visitor);
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
    await (await (await visitor.open()).write('The first.')).send();
    await visitor.isThanked();
    await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
    await (await visitor.write('The second.')).send();
    await visitor.isTold(/You can send again in \d\d seconds\.\s*What you wrote is kept\./);
    await visitor.picture('rate-limited');
    expect(await visitor.message.inputValue()).toBe('The second.');
  });

  test('an address that the browser accepts and the server does not: next to the field', async () => {
    const { source, visitor } = await visit();
    await (await visitor.write('Answer me.', 'me@localhost')).send();
    const fault = visitor.dialog.locator('#email-error');
    await fault.filter({ hasText: 'Please check this e-mail address.' }).waitFor();
    await visitor.picture('email-refused');
    expect(await visitor.email.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await visitor.email.getAttribute('aria-invalid')).toBe('true');
    await visitor.email.fill('me@example.com');
    await visitor.send();
    await visitor.isThanked();
    expect(await source.inbox()).toMatchObject([{ message: 'Answer me.', email: 'me@example.com' }]);
  });

  test('no message, and one too long: before anything is requested from the server', async () => {
    const { source, visitor } = await visit();
    const posted: string[] = [];
    visitor.page.on('request', (request) => request.method() === 'POST' && posted.push(request.url()));
    const fault = visitor.dialog.locator('#message-error');
    await (await visitor.write('   \n ')).send();
    await fault.filter({ hasText: 'Please write a message.' }).waitFor();
    await (await visitor.write('💡'.repeat(5_001))).send();
    await fault.filter({ hasText: '1 character too many' }).waitFor();
    await visitor.picture('too-long');
    expect(posted).toEqual([]);
    // Counted as people count: a light bulb is one character.
    await (await visitor.write('💡'.repeat(5_000))).send();
    await visitor.isThanked();
    expect((await source.inbox())[0]?.message).toBe('💡'.repeat(5_000));
  });
});

describe('without the server', () => {
  test('an answer that gets lost: it is retried automatically, and stored once', async () => {
    const { source, visitor } = await visit();
    const keys: (string | undefined)[] = [];
    await visitor.page.route('**/feedback/ingest', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await (await visitor.write('Answered into the void.')).send();
    await visitor.isThanked();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(await source.inbox()).toHaveLength(1);
  });

  test('an answer that gets lost with the page: sent again after a reload, it is stored once', async () => {
    const { source, visitor } = await visit();
    const arrived = Promise.withResolvers<void>();
    await visitor.page.route(
      '**/feedback/ingest',
      async (route) => {
        await route.fetch();
        arrived.resolve();
      },
      { times: 1 },
    );
    await (await visitor.write('And then the page was gone.')).send();
    await arrived.promise;
    await visitor.page.reload();
    await visitor.open();
    expect(await visitor.message.inputValue()).toBe('And then the page was gone.');
    await visitor.send();
    await visitor.isThanked();
    expect(await source.inbox()).toHaveLength(1);
  });

  test('what is changed after a failure is a different submission', async () => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visitor();
    await refuseStorage(visitor);
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
    // Without its answer nothing would be submitted.
    const bootstrap = visitor.page.waitForResponse('**/feedback/widget/bootstrap*');
    await visitor.open();
    await (await bootstrap).finished();
    const keys = new Set<string | undefined>();
    visitor.page.on('request', (request) => {
      if (request.method() === 'POST') keys.add(request.headers()['idempotency-key']);
    });
    await visitor.write('First words.');
    await visitor.page.context().setOffline(true);
    await visitor.send();
    await visitor.isTold('There is no connection');
    await visitor.page.context().setOffline(false);
    await (await visitor.write('Better words.')).send();
    await visitor.isThanked();
    expect(keys.size).toBe(2);
    expect(await source.inbox()).toMatchObject([{ message: 'Better words.' }]);
  });

  test('pressing twice sends once', async () => {
    const { source, visitor } = await visit();
    await visitor.write('Impatient.');
    await visitor.sendButton.dblclick();
    await visitor.isThanked();
    expect(await source.inbox()).toHaveLength(1);
  });

  test('closed while it is being sent: it arrives, and the thanks are there when the form is opened', async () => {
    const { source, visitor } = await visit();
    const held = Promise.withResolvers<void>();
    await visitor.page.route('**/feedback/ingest', async (route) => {
      await held.promise;
      await route.continue();
    });
    await (await visitor.write('In a hurry.')).send();
    await visitor.dialog.locator('.busy').waitFor();
    await visitor.picture('sending');
    await visitor.page.keyboard.press('Escape');
    // Listened for before it can happen, waited for afterwards.
    const sent = await visitor.page.evaluateHandle(() => ({
      whenSent: new Promise((resolve) => window.WorktrackFeedback?.on('submitted', resolve)),
    }));
    held.resolve();
    await sent.evaluate(({ whenSent }) => whenSent);
    await visitor.open();
    expect(await visitor.thanks.isVisible()).toBe(true);
    expect(await source.inbox()).toMatchObject([{ message: 'In a hurry.' }]);
  });
});
