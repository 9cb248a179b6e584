import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyRingSetting } from '../../libs/runtime/process/key-ring.ts';
import { issueToken, WIDGET_TOKEN_LIFETIME_MS } from '../../services/gateway/feedback/widget-token.ts';
import type { TestOrganization } from '../../test/support/organization.ts';
import { startSystem } from '../../test/support/system.ts';
import { createSource } from './support/source.ts';
import { Scene } from './support/visitor.ts';

const scene = new Scene();
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
beforeAll(async () => {
  [system] = await Promise.all([startSystem(), scene.start()]);
  organization = await system.newOrganization();
});
afterAll(async () => {
  await scene.stop();
  await system?.stop();
});

async function visit() {
  const source = await createSource(organization);
  const visitor = await scene.visit(system.baseUrl, { tag: source.tag });
  await visitor.open();
  return { source, visitor };
}

test('a token that expired while the user was writing is silently renewed', async () => {
  const source = await createSource(organization);
  const { WIDGET_TOKEN_SECRETS } = JSON.parse(await readFile(join(system.folder, 'secrets.json'), 'utf8'));
  const longAgoMs = Date.now() - 2 * WIDGET_TOKEN_LIFETIME_MS;
  const binding = { publicKey: source.publicKey, origin: scene.site.origin() };
  const expired = issueToken(binding, keyRingSetting.parse(WIDGET_TOKEN_SECRETS), longAgoMs);

  const visitor = await scene.visitor();
  const answers: string[] = [];
  visitor.page.on('response', async (response) => {
    if (response.request().method() === 'OPTIONS' || !response.url().includes('/feedback/')) return;
    answers.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  await visitor.page.route(
    '**/feedback/widget/bootstrap*',
    async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({ response, json: { ...body, data: { ...body.data, ...expired } } });
    },
    { times: 1 },
  );
  await visitor.page.goto(scene.site.add(system.baseUrl, { tag: source.tag }));
  await (await (await visitor.open()).write('Written slowly.')).send();
  await visitor.isThanked();
  // The page may say thanks before the browser has told this process of the answer that it is for.
  await expect
    .poll(() => answers)
    .toEqual([
      '200 /feedback/widget/bootstrap',
      '401 /feedback/ingest',
      '200 /feedback/widget/bootstrap',
      '201 /feedback/ingest',
    ]);
  expect(await source.inbox()).toMatchObject([{ message: 'Written slowly.' }]);
});

test('while the feedback service is unavailable the message waits, and is stored once it is back', async () => {
  const { source, visitor } = await visit();
  const [service] = system.services.of('feedback');
  await service?.part.kill();
  await (await visitor.write('Nobody at home.')).send();
  await visitor.isThanked();
  expect(await visitor.thanks.textContent()).toContain('1 message will be sent as soon as possible.');
  await visitor.picture('service-away');
  expect(visitor.console.join('\n')).toContain('UNAVAILABLE');
  await service?.part.restart();
  await expect.poll(source.inbox).toMatchObject([{ message: 'Nobody at home.' }]);
  await visitor.thanks.filter({ hasText: 'Your feedback has arrived.' }).waitFor();
});

test('while the gateway is unavailable the message waits, also for another page, and is stored once', async () => {
  const { source, visitor } = await visit();
  await visitor.write('The door is locked.');
  const [gateway] = system.services.of('gateway');
  await gateway?.part.kill();
  await visitor.send();
  await visitor.thanks.filter({ hasText: 'will be sent' }).waitFor();
  await gateway?.part.restart();
  await visitor.page.goto(scene.site.add(system.baseUrl, { tag: source.tag }));
  await expect.poll(source.inbox).toMatchObject([{ message: 'The door is locked.' }]);
  await expect.poll(() => visitor.page.evaluate(() => localStorage.length)).toBe(0);
});
