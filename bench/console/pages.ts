import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { newProject } from '../events/project.ts';
import type { Row } from '../events/row.ts';
import { quantile } from '../support/quantile.ts';
import type { System } from '../support/system.ts';
import { newVisitor, originOf, untilPainted } from './visitor.ts';

const PAGES = 20;
const WRITES = 50;
const EACH_MS = 700;
const SEEN_WITHIN_MS = 30_000;

/** Writes over the API, and when each is seen in open boards: in one profile each, so that every page has a stream of its own. */
export async function openPages(browser: Browser, system: System): Promise<Row[]> {
  const project = await newProject(system);
  const { id } = await project.newTask('Title 0');
  const contexts = await Promise.all(Array.from({ length: PAGES }, () => newVisitor(browser, system)));
  try {
    const pages: Page[] = [];
    for (const context of contexts) {
      const page = await context.newPage();
      await page.goto(`${originOf(system)}/console/board?project=${project.id}`);
      await untilPainted(page);
      await page.evaluate(watchTitles);
      pages.push(page);
    }
    const sentAtMs: number[] = [];
    const answeredMs: number[] = [];
    for (let write = 1; write <= WRITES; write++) {
      sentAtMs[write] = Date.now();
      await system.call('PATCH', `/api/work-items/${id}`, { title: `Title ${write}` });
      answeredMs.push(Date.now() - (sentAtMs[write] ?? 0));
      await delay(EACH_MS);
    }
    const sinceMs: number[] = [];
    for (const page of pages) {
      await page.getByText(`Title ${WRITES}`).waitFor({ timeout: SEEN_WITHIN_MS });
      const seenAtMs = await page.evaluate(
        () => (globalThis as unknown as { seenAtMs: Record<string, number> }).seenAtMs,
      );
      for (let write = 1; write <= WRITES; write++) {
        sinceMs.push((seenAtMs[`Title ${write}`] ?? Number.POSITIVE_INFINITY) - (sentAtMs[write] ?? 0));
      }
    }
    return [
      ['a write over the API, answered: median ms', quantile(answeredMs, 0.5), ''],
      [`a write sent → drawn in ${PAGES} open pages: median ms`, quantile(sinceMs, 0.5), ''],
      [`a write sent → drawn in ${PAGES} open pages: p99 ms`, quantile(sinceMs, 0.99), '300'],
      [`never seen, of ${WRITES * PAGES}`, sinceMs.filter((ms) => ms === Number.POSITIVE_INFINITY).length, '0'],
    ];
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
  }
}

function watchTitles(): void {
  const seenAtMs: Record<string, number> = {};
  Object.assign(globalThis, { seenAtMs });
  const look = () => {
    for (const { textContent } of document.querySelectorAll('.card-title')) seenAtMs[textContent ?? ''] ??= Date.now();
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, characterData: true, subtree: true });
}
