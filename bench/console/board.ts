import type { Browser, Page } from 'playwright-core';
import type { Row } from '../events/row.ts';
import { quantile } from '../support/quantile.ts';
import type { System } from '../support/system.ts';
import { newVisitor, originOf, untilPainted } from './visitor.ts';

const VISITS = 8;
const SCROLL_MS = 5_000;
const SCROLL_PX_PER_FRAME = 60;
const LONG_FRAME_MS = 50;
const MOVES = 20;

interface ScreenOf {
  readonly screen: 'board' | 'list';
  readonly cards: number;
  readonly maxColdMs: number;
  readonly maxWarmMs: number;
}

/** Opens a board or a list in fresh profiles, and again in the same ones. */
export async function firstScreen(
  browser: Browser,
  system: System,
  projectId: string,
  { screen, cards, maxColdMs, maxWarmMs }: ScreenOf,
): Promise<Row[]> {
  const coldMs: number[] = [];
  const warmMs: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const context = await newVisitor(browser, system);
    const page = await context.newPage();
    await page.goto(`${originOf(system)}/console/${screen}?project=${projectId}`, { waitUntil: 'commit' });
    coldMs.push(await untilPainted(page));
    await page.reload({ waitUntil: 'commit' });
    warmMs.push(await untilPainted(page));
    await context.close();
  }
  const name = `${screen} of ${cards.toLocaleString('en')} cards`;
  return [
    [`${name}, cold: median ms`, quantile(coldMs, 0.5), `${maxColdMs}`],
    [`${name}, cold: slowest of ${VISITS} ms`, Math.max(...coldMs), ''],
    [`${name}, warm: median ms`, quantile(warmMs, 0.5), `${maxWarmMs}`],
    [`${name}, warm: slowest of ${VISITS} ms`, Math.max(...warmMs), ''],
  ];
}

/** Scrolls through the longest column, and moves cards by keyboard. */
export async function longBoard(browser: Browser, system: System, projectId: string): Promise<Row[]> {
  const context = await newVisitor(browser, system);
  try {
    const page = await context.newPage();
    await page.goto(`${originOf(system)}/console/board?project=${projectId}`);
    await untilPainted(page);
    const framesMs = await scroll(page, '.column-cards');
    const tookMs: number[] = [];
    for (let move = 0; move < MOVES; move++) tookMs.push(await moveACard(page));
    return [
      ...rowsOf('column', framesMs),
      ['a move by keyboard → painted: median ms', quantile(tookMs, 0.5), '100'],
      [`a move by keyboard → painted: slowest of ${MOVES} ms`, Math.max(...tookMs), '100'],
    ];
  } finally {
    await context.close();
  }
}

/** Scrolls through a list or the lanes of a board, which are read meanwhile. */
export async function longScroll(
  browser: Browser,
  system: System,
  projectId: string,
  { what, address, scroller }: Readonly<Record<'what' | 'address' | 'scroller', string>>,
): Promise<Row[]> {
  const context = await newVisitor(browser, system);
  try {
    const page = await context.newPage();
    await page.goto(`${originOf(system)}/console/${address}project=${projectId}`);
    await untilPainted(page);
    return rowsOf(what, await scroll(page, scroller));
  } finally {
    await context.close();
  }
}

function rowsOf(what: string, framesMs: readonly number[]): Row[] {
  return [
    [`scrolling a ${what} for ${SCROLL_MS / 1_000} s: frames`, framesMs.length, ''],
    ['its longest frame, ms', Math.max(...framesMs), `${LONG_FRAME_MS}`],
    [`its frames over ${LONG_FRAME_MS} ms`, framesMs.filter((ms) => ms > LONG_FRAME_MS).length, '0'],
  ];
}

/** @returns how long each frame took */
function scroll(page: Page, scroller: string): Promise<number[]> {
  return page.evaluate(
    ([durationMs, stepPx, selector]) =>
      new Promise<number[]>((resolve) => {
        const column = document.querySelector(selector) as HTMLElement;
        const frames: number[] = [];
        const startedAtMs = performance.now();
        let lastMs = startedAtMs;
        const frame = (nowMs: number) => {
          if (nowMs > lastMs) frames.push(nowMs - lastMs);
          lastMs = nowMs;
          column.scrollTop += stepPx;
          if (nowMs - startedAtMs < durationMs) requestAnimationFrame(frame);
          else resolve(frames);
        };
        requestAnimationFrame(frame);
      }),
    [SCROLL_MS, SCROLL_PX_PER_FRAME, scroller] as const,
  );
}

/** From the press of the key until the card is painted in the next column. */
async function moveACard(page: Page): Promise<number> {
  const link = page.locator('.column').nth(1).locator('.card-title').first();
  await link.focus();
  const took = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const card = document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card;
        const column = document.activeElement?.closest<HTMLElement>('[data-column]')?.dataset.column;
        addEventListener(
          'keydown',
          ({ timeStamp }) => {
            const look = () => {
              const now = document.querySelector(`[data-card="${card}"]`)?.closest<HTMLElement>('[data-column]');
              if (!now || now.dataset.column === column) return requestAnimationFrame(look);
              const painted = new MessageChannel();
              painted.port1.onmessage = () => resolve(performance.now() - timeStamp);
              return requestAnimationFrame(() => painted.port2.postMessage(undefined));
            };
            requestAnimationFrame(look);
          },
          { capture: true, once: true },
        );
      }),
  );
  // Once the page listens.
  await page.evaluate(() => {});
  const answered = page.waitForResponse(/\/move$/);
  await page.keyboard.press('Alt+ArrowRight');
  await answered;
  return took;
}
