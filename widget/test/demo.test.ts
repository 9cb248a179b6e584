import { expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();

test.each([
  ['with a certificate', true],
  ['without one', false],
])('the tag on the demo page can be copied, on a server %s', async (_, isSecure) => {
  const source = await createSource(stage.organization);
  const { page } = await stage.scene.visitor({ permissions: ['clipboard-read', 'clipboard-write'] });
  if (!isSecure) {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  }
  await page.goto(`${stage.baseUrl}/widget/demo?publicKey=${source.tag['data-public-key']}&theme=dark`);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const field = page.getByLabel('Accent');
  await field.fill('');
  await field.press('Control+V');
  expect(await field.inputValue()).toBe(await page.locator('#tag').textContent());
  expect(await field.inputValue()).toContain(`data-public-key="${source.tag['data-public-key']}" data-theme="dark"`);
});
