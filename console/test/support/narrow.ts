import type { Page } from 'playwright-core';

/** Adds a filter, as a chip, and ticks a value. */
export async function narrow(page: Page, field: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: field, exact: true }).click();
  await page.getByRole('dialog').getByRole('checkbox', { name: value, exact: true }).check();
  await page.keyboard.press('Escape');
}
