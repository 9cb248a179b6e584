import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { sharedChromium } from '../../../test/support/chromium.ts';
import type { TestOrganization } from '../../../test/support/organization.ts';
import { signIn } from '../../../test/support/sign-in.ts';
import { type System, sharedSystem } from '../../../test/support/system.ts';
import { Visitor } from './visitor.ts';

/** A limit for what hangs, far above what anything takes: a machine may be slow. */
const TIMEOUT_MS = 30_000;

interface StageOptions<S extends System> {
  /** Default: the system that all files share. */
  readonly start?: () => Promise<S>;
  /** The network between the browser and a gateway, for a test that cuts it. @returns where the gateway is reached through it */
  readonly through?: (baseUrl: string) => Promise<string>;
}

/** A running system with the console, and a browser. */
export interface Stage<S extends System = System> {
  readonly system: S;
  /** Where the console's server is: `<url>/console/`. */
  readonly url: string;
  /** For this file alone. */
  readonly organization: TestOrganization;
  readonly newOrganization: () => Promise<TestOrganization>;
  /** A code that signs in once, as in the link that `npm start` prints. */
  newCode(): Promise<string>;
  /** Somebody with a browser profile of their own, until the test ends, on the page that they ask for, signed in with the owner's key unless another is given. */
  visit(path: string, options?: BrowserContextOptions & { readonly apiKey?: string | null }): Promise<Visitor>;
}

/** What every test file needs. It is ready once its `beforeAll` has run. */
export function openStage<S extends System = System>({ start, through }: StageOptions<S> = {}): Stage<S> {
  let browser: Browser;
  let system: S;
  let url: string;
  let organization: TestOrganization;
  beforeAll(async () => {
    system = await (start ?? (sharedSystem as () => Promise<S>))();
    const gateway = new URL((await through?.(system.baseUrl)) ?? system.baseUrl);
    // As people type it: the browser still accepts a cookie meant for https from it.
    gateway.hostname = 'localhost';
    url = gateway.origin;
    [organization, browser] = await Promise.all([system.newOrganization(), sharedChromium()]);
  });
  const contexts: BrowserContext[] = [];
  // A page that is left open shows each change that later tests make.
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
  return {
    get system() {
      return system;
    },
    get url() {
      return url;
    },
    get organization() {
      return organization;
    },
    newOrganization: () => system.newOrganization(),
    async newCode() {
      const answer = await organization.call<{ code: string }>('POST', '/api/login-codes', {});
      if (!answer.success) throw new Error(answer.error.message);
      return answer.data.code;
    },
    async visit(path, { apiKey = organization.apiKey, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
      contexts.push(context);
      context.setDefaultTimeout(TIMEOUT_MS);
      // A visitor counts whatever is logged as an error as a complaint.
      await context.addInitScript(() =>
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          console.error(`The page's policy forbids: ${violatedDirective} ${blockedURI}`),
        ),
      );
      if (apiKey !== null) await signIn(context, url, apiKey);
      const visitor = new Visitor(await context.newPage(), url);
      await visitor.page.goto(`${url}/console/${path}`);
      return visitor;
    },
  };
}
