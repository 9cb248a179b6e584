import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeFindings } from '../../../test/support/axe.ts';

const WIDTHS = [375, 1440] as const;
const THEMES = ['light', 'dark'] as const;

/** A person using the console. */
export class Visitor {
  readonly page: Page;
  /** What the browser complained about: a script that failed, and whatever the Content-Security-Policy forbids. Should stay empty. */
  readonly complaints: string[] = [];
  /** Where each event stream that this page has asked for begins: after an event, or now. */
  readonly streams: (number | 'now')[] = [];
  /** What was requested, without its query. */
  readonly requests: { readonly type: string; readonly path: string }[] = [];
  readonly #origin: string;

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // The page itself reports that an answer was 4xx.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.complaints.push(message.text());
      }
    });
    page.on('dialog', (dialog) => {
      this.complaints.push(`A dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== origin) this.complaints.push(`A request to ${url.origin}`);
      this.requests.push({ type: request.resourceType(), path: url.pathname });
      const after = url.searchParams.get('after');
      if (url.pathname === '/api/events/stream') this.streams.push(after === null ? 'now' : Number(after));
    });
  }

  /** Another page of the same browser, with its cookie. */
  async openTab(path: string): Promise<Visitor> {
    const tab = new Visitor(await this.page.context().newPage(), this.#origin);
    await tab.page.goto(`${this.#origin}/console/${path}`);
    return tab;
  }

  /**
   * Checks the screen against everything that must hold in every state: axe finds nothing, and nothing is wider than the window. It does so in both themes, on
   * a phone and on a wide screen, and takes a picture of each if CONSOLE_SCREENSHOTS names a folder.
   */
  async isGood(state: string): Promise<void> {
    const before = this.page.viewportSize();
    const found: string[] = [];
    for (const width of WIDTHS) {
      await this.page.setViewportSize({ width, height: width < 500 ? 812 : 900 });
      for (const colorScheme of THEMES) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const where = `${state} ${width} ${colorScheme}`;
        // What axe finds besides contrast does not depend on the theme, and takes it seconds.
        const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
        for (const finding of await axeFindings(this.page, rules)) found.push(`${where}: ${finding}`);
        const overflow = await this.page.evaluate(tooWideByPx);
        if (overflow > 0) found.push(`${where}: the page is ${overflow} px wider than the window`);
        await this.#picture(where.replaceAll(' ', '-'));
      }
    }
    await this.page.emulateMedia({ colorScheme: null, reducedMotion: null });
    if (before) await this.page.setViewportSize(before);
    expect(found).toEqual([]);
    expect(this.complaints).toEqual([]);
  }

  /** Checks less than `isGood`, leaving out what takes long: nothing is wider than the window, and the browser has nothing to complain about. */
  async fits(state: string): Promise<void> {
    const before = this.page.viewportSize();
    for (const width of WIDTHS) {
      await this.page.setViewportSize({ width, height: width < 500 ? 812 : 900 });
      const overflow = await this.page.evaluate(tooWideByPx);
      expect(overflow, `${state} at ${width} px`).toBeLessThanOrEqual(0);
      await this.#picture(`${state}-${width}`);
    }
    if (before) await this.page.setViewportSize(before);
    expect(this.complaints).toEqual([]);
  }

  async #picture(name: string): Promise<void> {
    const folder = process.env.CONSOLE_SCREENSHOTS;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `console-${name}.png`), animations: 'disabled' });
  }
}

/** Within the window, what scrolls is the page's `main`. */
function tooWideByPx(): number {
  const main = document.querySelector('main');
  const inside = main ? main.scrollWidth - main.clientWidth : 0;
  return Math.max(document.documentElement.scrollWidth - innerWidth, inside);
}
