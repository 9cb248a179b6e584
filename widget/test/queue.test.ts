import { expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

const stage = openStage();
const { scene } = stage;

async function visit(changes: Parameters<typeof createSource>[1] = {}) {
  const source = await createSource(stage.organization, changes);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  const bootstrap = visitor.page.waitForResponse('**/feedback/widget/bootstrap*');
  await visitor.open();
  await (await bootstrap).finished();
  return { source, visitor };
}

async function sendOffline(visitor: Visitor, message: string): Promise<void> {
  await visitor.page.context().setOffline(true);
  await (await visitor.write(message)).send();
}

const willBeSent = ({ thanks }: Visitor, words: string) => thanks.filter({ hasText: words }).waitFor();

type Kept = { readonly submission: object; readonly attempt: object };
/** What the browser keeps, changed as a test needs it. */
async function changeQueue({ page }: Visitor, change: (queued: readonly Kept[]) => readonly object[]): Promise<void> {
  const [name = '', text = ''] = await page.evaluate(() => Object.entries(localStorage)[0] ?? []);
  await page.evaluate(
    ([name = '', text = '']) => localStorage.setItem(name, text),
    [name, JSON.stringify(change(JSON.parse(text)))],
  );
}

test('without a network a message will be sent, says the form, and it is once there is one: with its key, in order, and once', async () => {
  const { source, visitor } = await visit();
  const events = await visitor.page.evaluateHandle(() => {
    const seen: string[] = [];
    for (const name of ['queued', 'submitted', 'error'] as const)
      window.WorktrackFeedback?.on(name, () => seen.push(name));
    return seen;
  });
  await sendOffline(visitor, 'From the tunnel.');
  await willBeSent(visitor, '1 message will be sent as soon as possible.');
  await visitor.picture('queued');
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  expect(await visitor.message.inputValue()).toBe('');
  await (await visitor.write('Still in the tunnel.')).send();
  await willBeSent(visitor, '2 messages will be sent as soon as possible.');
  await visitor.page.keyboard.press('Escape');
  await visitor.open();
  await visitor.isTold('2 messages will be sent as soon as possible.');
  await visitor.picture('queued-note');
  const keys: (string | undefined)[] = [];
  await visitor.page.route('**/feedback/ingest', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    // The answer to the first attempt is lost.
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await visitor.page.context().setOffline(false);
  const messages = async () => (await source.inbox()).map(({ message }) => message);
  await expect.poll(messages).toEqual(['Still in the tunnel.', 'From the tunnel.']);
  await expect.poll(() => visitor.notice.textContent()).toBe('');
  expect([keys.length, new Set(keys).size]).toEqual([3, 2]);
  expect(await events.jsonValue()).toEqual(['queued', 'queued', 'submitted', 'submitted']);
  expect(await visitor.page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
});

test('too many: it is sent after what Retry-After says, not before, even if the network comes back meanwhile', async () => {
  const { source, visitor } = await visit({ rateLimit: { perIp: 1, perSource: 100, windowSeconds: 4 } });
  await (await visitor.write('The first.')).send();
  await visitor.isThanked();
  const sent: { atMs: number; status: number }[] = [];
  visitor.page.on('response', (response) => {
    if (response.request().method() === 'POST') sent.push({ atMs: Date.now(), status: response.status() });
  });
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  await (await visitor.write('The second.')).send();
  await willBeSent(visitor, '1 message will be sent');
  await visitor.page.evaluate(() => dispatchEvent(new Event('online')));
  await willBeSent(visitor, 'Your feedback has arrived.');
  expect(sent.map(({ status }) => status)).toEqual([429, 201]);
  expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThan(1_000);
  expect((await source.inbox()).map(({ message }) => message)).toEqual(['The second.', 'The first.']);
});

test('it waits for the next page of the site, also in another tab, for seven days', async () => {
  const { source, visitor } = await visit();
  await sendOffline(visitor, 'Six days old.');
  await willBeSent(visitor, '1 message');
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  await (await visitor.write('Eight days old.')).send();
  await willBeSent(visitor, '2 messages');
  await changeQueue(visitor, ([six, eight]) => [
    { ...six, sinceMs: Date.now() - 6 * 24 * 3_600_000 },
    { ...eight, sinceMs: Date.now() - 8 * 24 * 3_600_000 },
  ]);
  const context = visitor.page.context();
  await visitor.page.close({ runBeforeUnload: false });
  await context.setOffline(false);
  const tabs = await Promise.all([context.newPage(), context.newPage()]);
  const posts: string[] = [];
  context.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
  await Promise.all(tabs.map((tab) => tab.goto(scene.site.add(stage.baseUrl, { tag: source.tag }))));
  const messages = async () => (await source.inbox()).map(({ message }) => message);
  await expect.poll(messages).toEqual(['Six days old.']);
  await expect.poll(() => tabs[0]?.evaluate(() => localStorage.length)).toBe(0);
  expect(posts).toHaveLength(1);
});

test('a clock that was a day ahead and has been set since delays nothing', async () => {
  const { source, visitor } = await visit();
  await visitor.page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 24 * 3_600_000;
  });
  await sendOffline(visitor, 'From tomorrow.');
  await willBeSent(visitor, '1 message');
  const context = visitor.page.context();
  await visitor.page.close({ runBeforeUnload: false });
  await context.setOffline(false);
  const tab = await context.newPage();
  await tab.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
  await expect.poll(source.inbox).toMatchObject([{ message: 'From tomorrow.' }]);
});

test('what is older is removed from the browser by the next page', async () => {
  const { source, visitor } = await visit();
  await sendOffline(visitor, 'Eight days old.');
  await willBeSent(visitor, '1 message');
  await changeQueue(visitor, ([one]) => [{ ...one, sinceMs: Date.now() - 8 * 24 * 3_600_000 }]);
  await visitor.page.context().setOffline(false);
  await visitor.page.reload();
  await expect.poll(() => visitor.page.evaluate(() => localStorage.length)).toBe(0);
  expect(await source.inbox()).toEqual([]);
});

test('what falls due while another message is being sent follows it', async () => {
  const { source, visitor } = await visit();
  await visitor.page.route('**/feedback/ingest', (route) => route.abort('connectionreset'), { times: 3 });
  await (await visitor.write('The first.')).send();
  await willBeSent(visitor, '1 message');
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  const released = Promise.withResolvers<void>();
  await visitor.page.route('**/feedback/ingest', (route) => released.promise.then(() => route.continue()), {
    times: 1,
  });
  const sent = visitor.page.waitForRequest('**/feedback/ingest');
  await (await visitor.write('The second.')).send();
  await sent;
  await visitor.page.evaluate(() => {
    dispatchEvent(new Event('online'));
    return new Promise((resolve) => setTimeout(resolve));
  });
  released.resolve();
  const messages = async () => (await source.inbox()).map(({ message }) => message);
  await expect.poll(messages, { timeout: 15_000 }).toEqual(['The first.', 'The second.']);
});

test('beyond twenty the person is told, and what they wrote stays in the form', async () => {
  const { visitor } = await visit();
  await sendOffline(visitor, 'One of many.');
  await willBeSent(visitor, '1 message');
  await changeQueue(visitor, ([one]) =>
    Array.from({ length: 20 }, (_, i) => ({ ...one, attempt: { ...one?.attempt, key: `key ${i}` } })),
  );
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  await (await visitor.write('One too many.')).send();
  await visitor.isTold('There is no connection to our service.');
  expect(await visitor.message.inputValue()).toBe('One too many.');
});

test('a captcha is solved when it is sent', async () => {
  const { source, visitor } = await visit({ requireCaptcha: true });
  await sendOffline(visitor, 'Proven later.');
  await willBeSent(visitor, '1 message');
  await visitor.page.context().setOffline(false);
  await expect.poll(source.inbox).toMatchObject([{ message: 'Proven later.' }]);
});

test('what the service has already, from somebody who wrote it twice, is not sent again and again', async () => {
  const { source, visitor } = await visit();
  await sendOffline(visitor, 'Said twice.');
  await willBeSent(visitor, '1 message');
  await changeQueue(visitor, ([one]) => [
    { ...one },
    { ...one, attempt: { ...one?.attempt, key: 'another', uncertain: false } },
  ]);
  await visitor.page.context().setOffline(false);
  await expect.poll(() => visitor.page.evaluate(() => localStorage.length)).toBe(0);
  expect(await source.inbox()).toHaveLength(1);
});

test('what the service will never accept is not sent again and again', async () => {
  const { visitor } = await visit();
  await sendOffline(visitor, 'Changed by somebody.');
  await willBeSent(visitor, '1 message');
  await changeQueue(visitor, (queued) =>
    queued.map((one) => ({ ...one, submission: { ...one.submission, email: 'none' } })),
  );
  await visitor.page.context().setOffline(false);
  await expect.poll(() => visitor.page.evaluate(() => localStorage.length)).toBe(0);
  expect(visitor.console.join('\n')).toContain('VALIDATION_FAILED');
});
