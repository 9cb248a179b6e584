import { expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();
const { scene } = stage;

async function visit(changes: Parameters<typeof createSource>[1] = {}) {
  const source = await createSource(stage.organization, { requireCaptcha: true, ...changes });
  const visitor = await scene.visitor();
  /** The threads that the page has started. */
  const workers: string[] = [];
  visitor.page.on('worker', (worker) => workers.push(worker.url()));
  const asked: string[] = [];
  visitor.page.on('request', (request) => {
    if (request.method() !== 'OPTIONS') asked.push(new URL(request.url()).pathname);
  });
  await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: source.tag }));
  return { source, visitor, workers, asked };
}

test('the captcha is solved in a thread of its own, from the first letter on, and asks nothing of the user', async () => {
  const { source, visitor, workers, asked } = await visit();
  await visitor.open();
  expect(asked).not.toContain('/feedback/widget/challenge');
  const started = visitor.page.waitForEvent('worker');
  await visitor.write('H');
  expect((await started).url()).toMatch(/^blob:http:\/\/shop\.localhost/);
  await (await visitor.write('Human.')).send();
  await visitor.isThanked();
  expect(workers).toHaveLength(1);
  expect(await source.inbox()).toMatchObject([{ message: 'Human.' }]);
  // Nothing is left running.
  await expect.poll(() => visitor.page.workers().length).toBe(0);
});

test('no solver is loaded and nothing is solved if the source asks for no captcha', async () => {
  const { visitor, workers, asked } = await visit({ requireCaptcha: false });
  await (await (await visitor.open()).write('Without.')).send();
  await visitor.isThanked();
  expect(workers).toEqual([]);
  expect(asked.some((path) => path.includes('solver') || path.includes('challenge'))).toBe(false);
});

test('each submission has a solution of its own', async () => {
  const { source, visitor, asked } = await visit();
  await (await (await visitor.open()).write('The first.')).send();
  await visitor.isThanked();
  await visitor.page.getByRole('button', { name: 'Send more feedback' }).click();
  await (await visitor.write('The second.')).send();
  await visitor.isThanked();
  expect(asked.filter((path) => path === '/feedback/widget/challenge')).toHaveLength(2);
  expect(await source.inbox()).toHaveLength(2);
});

test('a solution that the server does not accept is silently replaced', async () => {
  const { source, visitor, asked } = await visit();
  // What a captcha that was solved too early looks like: its challenge is no longer valid.
  await visitor.page.route(
    '**/feedback/widget/challenge*',
    async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.data.parameters.expiresAt = 1;
      await route.fulfill({ response, json: body });
    },
    { times: 1 },
  );
  await (await (await visitor.open()).write('Solved too early.')).send();
  await visitor.isThanked();
  expect(asked.filter((path) => path === '/feedback/ingest')).toHaveLength(2);
  expect(await source.inbox()).toHaveLength(1);
});

test('a captcha that is switched on while the form is open is silently solved', async () => {
  const { source, visitor } = await visit({ requireCaptcha: false });
  await (await visitor.open()).write('Before and after.');
  await source.change({ requireCaptcha: true });
  const bootstrap = `${stage.baseUrl}/feedback/widget/bootstrap?publicKey=${source.publicKey}`;
  const isOn = async () => (await (await fetch(bootstrap)).json()).data.config.requireCaptcha;
  await expect.poll(isOn).toBe(true);
  await visitor.send();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});

test('a solver that does not arrive is asked for again after some seconds', async () => {
  const { source, visitor } = await visit();
  await visitor.page.route('**/widget-solver*.js', () => {}, { times: 1 });
  await (await (await visitor.open()).write('On a slow train.')).send();
  await visitor.isThanked();
  expect(await source.inbox()).toMatchObject([{ message: 'On a slow train.' }]);
});

test('if the captcha cannot be solved the user is told, and can try again', async () => {
  const { source, visitor } = await visit();
  await visitor.page.route('**/widget-solver*.js', (route) => route.abort());
  await (await (await visitor.open()).write('Without a solver.')).send();
  await visitor.isTold('We could not confirm that you are human.');
  await visitor.picture('captcha-failed');
  await visitor.page.unroute('**/widget-solver*.js');
  await visitor.send();
  await visitor.isThanked();
  expect(await source.inbox()).toMatchObject([{ message: 'Without a solver.' }]);
});
