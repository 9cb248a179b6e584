import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** The package's main file is more than twice as long, and what a page is given is parsed by three processes. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * What axe finds on the whole page, best practices included, one line for each element.
 * @param rules default: all that axe runs by default
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page keeps it until it is left.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(SOURCE);
  const options: RunOptions = {
    // Otherwise axe describes every element that passed as well.
    resultTypes: ['violations'],
    // It would request every stylesheet again, for a rule that is off by default.
    preload: false,
    ...(rules && { runOnly: [...rules] }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}
