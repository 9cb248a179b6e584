import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { sharedChromium } from '../../../test/support/chromium.ts';
import { type PageOptions, Site } from './site.ts';

/** A limit for what hangs, far above what anything takes: a machine may be slow. */
const TIMEOUT_MS = 60_000;

/** A person at a browser, on a page with the widget, in terms of what is seen there. */
export class Visitor {
  readonly page: Page;
  /** What the page's console and its errors said. */
  readonly console: string[];
  readonly launcher: Locator;
  readonly dialog: Locator;
  readonly message: Locator;
  readonly email: Locator;
  readonly sendButton: Locator;
  readonly notice: Locator;
  readonly thanks: Locator;

  constructor(page: Page, console: string[]) {
    this.page = page;
    this.console = console;
    const widget = page.locator('worktrack-feedback');
    this.launcher = widget.locator('.launcher');
    this.dialog = widget.getByRole('dialog');
    this.message = widget.locator('textarea');
    this.email = widget.locator('input[type=email]');
    this.sendButton = widget.locator('button[type=submit]');
    this.notice = widget.getByRole('alert');
    this.thanks = widget.locator('.success');
  }

  async open(): Promise<this> {
    await this.launcher.click();
    await this.dialog.waitFor();
    return this;
  }

  async write(message: string, email = ''): Promise<this> {
    await this.message.fill(message);
    if (email) await this.email.fill(email);
    return this;
  }

  async send(): Promise<this> {
    await this.sendButton.click();
    return this;
  }

  async isThanked(): Promise<void> {
    await this.thanks.waitFor();
  }

  /** Waits until the form says so. */
  async isTold(words: string | RegExp): Promise<void> {
    await this.notice.filter({ hasText: words }).waitFor();
  }

  async isReady(): Promise<void> {
    await this.dialog.locator('button[type=submit][aria-disabled=false]').waitFor();
  }

  /** A picture of this state, for people to look at, if WIDGET_SCREENSHOTS names a folder for them. */
  async picture(name: string): Promise<void> {
    const folder = process.env.WIDGET_SCREENSHOTS;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }
}

/** A browser, and one website for the tests in a file. */
export class Scene {
  readonly site = new Site();
  #browser: Browser | undefined;
  readonly #profiles: BrowserContext[] = [];

  async start(): Promise<void> {
    [this.#browser] = await Promise.all([sharedChromium(), this.site.start()]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#profiles.map((profile) => profile.close()));
    this.site.stop();
  }

  /** Somebody new, with a profile of their own. */
  async visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
    if (!this.#browser) throw new Error('The browser is not started.');
    const context = await this.#browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
    this.#profiles.push(context);
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const console: string[] = [];
    page.on('console', (message) => console.push(message.text()));
    page.on('pageerror', (error) => console.push(`Uncaught ${error}`));
    return new Visitor(page, console);
  }

  /** On the page, once the button is there. */
  async visit(baseUrl: string, page: PageOptions, options?: BrowserContextOptions): Promise<Visitor> {
    const visitor = await this.visitor(options);
    await visitor.page.goto(this.site.add(baseUrl, page));
    await visitor.launcher.waitFor();
    return visitor;
  }
}
