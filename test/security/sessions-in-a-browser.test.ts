import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

let system: System;
let organization: TestOrganization;
let browser: Browser;
let context: BrowserContext;
/** Of another origin, though the browser sees it as the same site: on another port. */
let other: Server;
let attack = '';
beforeAll(async () => {
  [system, browser] = await Promise.all([sharedSystem(), launchChromium()]);
  organization = await system.newOrganization();
  context = await browser.newContext();
  other = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><title>A page of somebody else</title>${attack}`);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(async () => {
  await browser?.close();
  other?.close();
});

async function newCode(): Promise<string> {
  return (await organization.call<{ code: string }>('POST', '/api/login-codes', {})).data.code;
}

const statusOfMe = (page: Page) => page.evaluate(async () => (await fetch('/api/me')).status);

test('a link signs in with one click, and leaves its code neither in the address nor in the history', async () => {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const code = await newCode();
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url(), request.headers().referer ?? ''));
  const answered = page.waitForResponse((response) => response.url().endsWith('/console/session'));
  await page.goto(`${system.baseUrl}/console/#code=${code}`);
  expect((await answered).status()).toBe(204);
  await expect.poll(() => statusOfMe(page)).toBe(200);
  expect(page.url()).not.toContain(code);
  expect(urls.slice(1).join()).not.toContain(code.slice(12));
  expect(complaints.filter((text) => /content security|trusted/i.test(text))).toEqual([]);
  // No script reads it, and nothing of it is kept.
  const kept = await page.evaluate<string>('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })');
  expect(kept).not.toContain('wts_');
  const [cookie] = await context.cookies(system.baseUrl);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', domain: '127.0.0.1' });
  await page.close();
});

/** @returns how the service answered what the attacker's page made the browser send, once the page is through */
async function visitAttacker(html: string): Promise<Map<string, number>> {
  attack = html;
  const page = await context.newPage();
  const answers = new Map<string, number>();
  page.on('response', (response) => {
    const { origin, pathname } = new URL(response.url());
    const name = `${response.request().method()} ${pathname}`;
    if (origin === new URL(system.baseUrl).origin) answers.set(name, response.status());
  });
  const forms = ['/api/projects', '/console/session'].map((path) =>
    page.waitForResponse(
      (response) => response.url() === system.baseUrl + path && response.request().method() === 'POST',
    ),
  );
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  await Promise.all(forms);
  await page.waitForFunction("document.title === 'done'");
  await page.close();
  return answers;
}

test('a page on another port, to whose requests the browser adds the cookie, can do and learn nothing', async () => {
  const projects = async () =>
    (await organization.call<{ projects: object[] }>('GET', '/api/projects')).data.projects.length;
  const before = await projects();
  const target = system.baseUrl;
  const answers = await visitAttacker(`
    <iframe name="first"></iframe><iframe name="second"></iframe>
    <form id="project" target="first" method="post" enctype="text/plain" action="${target}/api/projects">
      <input name='{"name":"Stolen","key":"S","description":"' value='"}'></form>
    <form id="login" target="second" method="post" enctype="text/plain" action="${target}/console/session">
      <input name='{"code":"' value='"}'></form>
    <img id="image" src="${target}/api/users">
    <script type="module">
      const simple = { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"Stolen","key":"S"}' };
      const learnt = [];
      const tried = async (ask) => { try { learnt.push(await (await ask()).text()); } catch { learnt.push(''); } };
      project.submit();
      login.submit();
      await tried(() => fetch('${target}/api/work-items', simple));
      await tried(() => fetch('${target}/api/me', { credentials: 'include' }));
      await tried(() => fetch('${target}/console/session', { method: 'DELETE', credentials: 'include' }));
      const source = new EventSource('${target}/api/events/stream', { withCredentials: true });
      await new Promise((resolve) => { source.onopen = source.onerror = resolve; });
      source.close();
      document.title = learnt.join('') === '' ? 'done' : 'learnt: ' + learnt.join();
    </script>`);
  // Without the cookie these would be 401, and prove nothing.
  expect(Object.fromEntries(answers)).toMatchObject({
    'POST /api/projects': 403,
    'POST /api/work-items': 403,
    'POST /console/session': 403,
  });
  expect([...answers.values()].filter((status) => status < 400)).toEqual([]);
  expect(await projects()).toBe(before);
  const page = await context.newPage();
  await page.goto(`${system.baseUrl}/console/`);
  expect(await statusOfMe(page)).toBe(200);
  await page.close();
});

test('signing out ends the session, and the browser keeps no cookie of it', async () => {
  const page = await context.newPage();
  await page.goto(`${system.baseUrl}/console/`);
  const kept = await context.cookies(system.baseUrl);
  const status = await page.evaluate(async () => (await fetch('/console/session', { method: 'DELETE' })).status);
  expect(status).toBe(204);
  expect(await context.cookies(system.baseUrl)).toEqual([]);
  await context.addCookies(kept);
  expect(await statusOfMe(page)).toBe(401);
  await page.close();
});
