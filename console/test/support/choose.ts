import type { Locator, Page } from 'playwright-core';

/** Chooses in a combobox, with the mouse. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  await within.getByRole('combobox', { name: label, exact: true }).click();
  await within.getByRole('option', { name: option, exact: true }).click();
}
