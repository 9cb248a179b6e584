import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../../test/support/chromium.ts';
import type { TestOrganization } from '../../../test/support/organization.ts';
import { sharedSystem } from '../../../test/support/system.ts';
import { Front } from './front.ts';
import type { ScriptedStream } from './scripted-stream.ts';
import { Visitor } from './visitor.ts';

/** A bound for what hangs, far above what anything takes: a machine may be slow. */
const TIMEOUT_MS = 30_000;

/** A running system with the console, and a browser. */
export interface Stage {
  /** Where the console's server is: `<url>/console/`. */
  readonly url: string;
  /** Of this file alone. */
  readonly organization: TestOrganization;
  readonly newOrganization: () => Promise<TestOrganization>;
  /** A code that signs in once, for the link of `npm start`. */
  newCode(): Promise<string>;
  /** The events that its pages are told. */
  readonly stream: ScriptedStream;
  /** Somebody with a browser profile of their own, in front of the page that they ask for, signed in by the owner's key unless another is given. */
  visit(path: string, options?: BrowserContextOptions & { readonly apiKey?: string | null }): Promise<Visitor>;
}

/** What every file of tests needs. It is there once its `beforeAll` has run. */
export function openStage(): Stage {
  let browser: Browser;
  let front: Front;
  let organization: TestOrganization;
  let newOrganization: () => Promise<TestOrganization>;
  beforeAll(async () => {
    const system = await sharedSystem();
    front = new Front(system.baseUrl);
    newOrganization = () => system.newOrganization();
    [organization, browser] = await Promise.all([system.newOrganization(), launchChromium(), front.start()]);
  });
  afterAll(async () => {
    await browser?.close();
    front?.stop();
  });
  return {
    get url() {
      return front.url;
    },
    get organization() {
      return organization;
    },
    newOrganization: () => newOrganization(),
    get stream() {
      return front.stream;
    },
    async newCode() {
      const answer = await organization.call<{ code: string }>('POST', '/api/login-codes', {});
      if (!answer.success) throw new Error(answer.error.message);
      return answer.data.code;
    },
    async visit(path, { apiKey = organization.apiKey, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
      context.setDefaultTimeout(TIMEOUT_MS);
      if (apiKey !== null) {
        const answer = await context.request.post(`${front.url}/console/session`, {
          data: { apiKey },
          headers: { origin: front.url, 'sec-fetch-site': 'same-origin' },
        });
        if (!answer.ok()) throw new Error(`Nobody is signed in: ${answer.status()} ${await answer.text()}`);
      }
      const visitor = new Visitor(await context.newPage(), front.url);
      await visitor.page.goto(`${front.url}/console/${path}`);
      return visitor;
    },
  };
}
