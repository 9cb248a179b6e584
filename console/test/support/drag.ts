import type { Page } from 'playwright-core';

type Point = readonly [x: number, y: number];

/** With the mouse, from one point of the window to another. */
export async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}
