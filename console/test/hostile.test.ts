import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Source } from '@worktrack/contracts/feedback/records';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../../test/support/organization.ts';
import { createItem } from './support/create-item.ts';
import { openStage } from './support/stage.ts';
import type { Visitor } from './support/visitor.ts';

/** Reverses the direction of the text that follows it (U+202E). */
const OVERRIDE = '\u202e';
const ELSEWHERE = 'https://tracker.example';
/** Each of them sets `hacked` when it runs, or loads something from elsewhere. */
const ATTACKS = [
  '<script>hacked=1</script>',
  '</script></style></title></textarea><script>hacked=1</script>',
  '<img src=x onerror=hacked=1>',
  '"><svg onload=hacked=1>',
  "' autofocus onfocus=hacked=1 x='",
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<iframe src="javascript:parent.hacked=1"></iframe>',
  '<object data="data:text/html,<script>hacked=1</script>"></object>',
  `<link rel=stylesheet href=${ELSEWHERE}/a.css><style>@import "${ELSEWHERE}/b.css"</style>`,
  `<img src=${ELSEWHERE}/c.png><video poster=${ELSEWHERE}/d.png></video><base href=${ELSEWHERE}/>`,
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hacked=1&gt;">',
  '<form action="javascript:hacked=1"><button>Send</button></form>',
  "{{constructor.constructor('hacked=1')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an attack on what is no template
  '${hacked=1} #{hacked=1} <%= hacked=1 %> {name} {n}',
] as const;
const MARKDOWN = [
  '[one](javascript:hacked=1) [two](JaVaScRiPt&colon;hacked=1) [three](java\tscript:hacked=1) <javascript:hacked=1>',
  '[four](data:text/html,<script>hacked=1</script>) [five](vbscript:hacked) [six](//tracker.example/e)',
  `[seven][ref] ![eight][ref] ![nine](${ELSEWHERE}/f.png) ![ten](//tracker.example/g.png) ![eleven](data:image/svg+xml,<svg/onload=hacked=1>)`,
  '![twelve](/api/work-items/../events/stream) ![thirteen](/api/work-items/x/../../../feedback/items) ![fourteen](x)',
  '[fifteen](/console/items/%E0%A4%A "\' onmouseover=hacked=1 \'")',
  '```html" onload="hacked=1\n<script>hacked=1</script>\n```',
  '| <script>hacked=1</script> | b |\n|---|---|\n| <img src=x onerror=hacked=1> | c |',
  '[ref]: javascript:hacked=1',
];
const LONG_WORD = 'Donaudampfschifffahrt'.repeat(20);

/** A text of at most `length` characters that begins with `<mark> text`, by which it is found. Its attacks rotate, so that all fields together have all of them. */
let turn = 0;
function hostile(mark: string, length: number): string {
  let text = `${mark} text ${OVERRIDE}`;
  for (let n = 0; n < ATTACKS.length; n++) {
    const next = ATTACKS[(turn + n) % ATTACKS.length] as string;
    if (text.length + next.length < length * 0.7) text += `${next} `;
  }
  turn++;
  return `${text}${LONG_WORD}`.slice(0, length).trim();
}
const hostileMarkdown = (mark: string) => [hostile(mark, 2_000), ...ATTACKS, ...MARKDOWN].join('\n\n');

const stage = openStage();
let organization: TestOrganization;
let task: WorkItem;
let epic: WorkItem;
let webhookId: string;

/** Where a webhook is sent, and what the endpoint answers. */
const endpoint = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(500).end(hostile('Answer', 900)));
});
afterAll(() => {
  endpoint.close();
  endpoint.closeAllConnections();
});

async function call<T = { id: string }>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await organization.call<T>(method, path, body);
  if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

async function attach(item: WorkItem, name: string, type: string, content: string): Promise<void> {
  const body = new FormData();
  body.append('uploadedBy', hostile('Uploader', 200));
  body.append('mimeType', type);
  body.append('file', new Blob([content], { type }), name);
  const url = `${stage.url}/api/work-items/${item.id}/attachments`;
  const headers = { authorization: `Bearer ${organization.apiKey}` };
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
}

beforeAll(async () => {
  organization = stage.organization;
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { projectId, boardId, userId } = organization;
  await call('PATCH', `/api/users/${userId}`, { name: hostile('Owner', 100) });
  await call('PATCH', `/api/projects/${projectId}`, {
    name: hostile('Project', 100),
    description: hostileMarkdown('Project'),
  });
  await call('POST', '/api/projects', { name: hostile('Other', 100) });
  await call('POST', `/api/projects/${projectId}/boards`, { name: hostile('Board', 200) });
  type Columns = { readonly columns: readonly { readonly id: string; readonly name: string }[] };
  const { columns } = await call<Columns>('GET', `/api/boards/${boardId}`);
  const more = [...columns.map(({ id, name }) => ({ id, name })), { name: hostile('Column', 100) }];
  const boardColumnId = (await call<Columns>('PATCH', `/api/boards/${boardId}`, { columns: more })).columns.at(-1)?.id;
  const model = hostile('Model', 200);
  const provider = hostile('Provider', 100);

  epic = await createItem(organization, { type: 'epic', title: hostile('Epic', 500) });
  const first = await createItem(organization, {
    title: hostile('First', 500),
    parentId: epic.id,
    boardColumnId: 'To Do',
    assignee: hostile('Assignee', 200),
  });
  task = await createItem(organization, {
    title: hostile('Task', 500),
    description: hostileMarkdown('Description'),
    parentId: epic.id,
    boardColumnId: 'To Do',
    externalId: 'Outside <img src=x onerror=hacked=1>',
  });
  await createItem(organization, { title: hostile('Second', 500), parentId: epic.id, dependsOn: [first.taskId] });
  await createItem(organization, { title: hostile('Elsewhere', 500), boardColumnId });
  await call('PATCH', `/api/work-items/${task.id}`, {
    metadata: {
      userActions: hostileMarkdown('Actions'),
      review: {
        ...{ result: 'fail', summary: hostileMarkdown('Summary'), reviewedAt: hostile('When', 100) },
        ...{ issues: [hostileMarkdown('Issue')], reviewedFiles: [hostile('Reviewed', 500)] },
      },
      testResults: { passed: 1, failed: 1, testFiles: [hostile('Tested', 500)] },
      documentation: { summary: hostileMarkdown('Documented'), changelogEntry: hostile('Changed', 500) },
      [hostile('Name', 100).replaceAll('.', '').replaceAll('$', '')]: hostile('Value', 500),
    },
  });
  const session = { model, provider, totalTokens: 1_000, sessionType: hostile('Type', 50) };
  await call('POST', `/api/work-items/${task.id}/ai-sessions`, session);
  await call('POST', `/api/work-items/${task.id}/comments`, { text: hostileMarkdown('Comment') });
  await call('POST', `/api/work-items/${task.id}/move`, { boardColumnId });
  await call('POST', `/api/work-items/${task.id}/move`, { boardColumnId: 'To Do' });
  await attach(task, hostile('File', 150).replaceAll('/', ''), 'text/html', '<script>hacked=1</script>');
  await attach(
    task,
    `invoice${OVERRIDE}gpj.exe`,
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="hacked=1"/>',
  );
  await attach(task, '"onerror=hacked=1 x=".png', 'image/png', '<script>hacked=1</script>');
  const claimed = await call<{ lease: { token: string } }>('POST', '/api/work-items/claim', {
    ids: [task.id],
    agent: hostile('Agent', 200),
  });
  await call('POST', `/api/work-items/${task.id}/progress`, {
    ...{ leaseToken: claimed.lease.token, state: 'awaiting_input', progress: 0.5, model, provider, totalTokens: 5 },
    ...{ note: hostile('Note', 500), question: hostile('Question', 2_000), checkpoint: { a: hostile('Left', 900) } },
  });
  await call('PUT', `/api/work-items/${epic.id}/budget`, { limitUsd: 5 });

  await call('POST', '/api/api-keys', { name: hostile('Key', 100) });
  await call('POST', '/api/users', { name: hostile('User', 100), email: 'user@example.com', role: 'viewer' });
  const source = await call<Source>('POST', '/api/feedback/sources', {
    ...{ name: hostile('Source', 100), type: 'server', requireCaptcha: false },
  });
  const { publicKey } = source;
  const { token } = await call<{ token: string }>('GET', `/feedback/widget/bootstrap?publicKey=${publicKey}`);
  const sent = await call('POST', '/feedback/ingest', {
    ...{ publicKey, token, message: hostileMarkdown('Message').slice(0, 4_900) },
    ...{ email: 'a+script@example.com', pageUrl: `${ELSEWHERE}/?"><script>hacked=1</script>`.replaceAll(' ', '') },
  });
  const idea = await createItem(organization, { type: 'idea', title: hostile('Idea', 500) });
  await call('POST', `/api/feedback/items/${sent.id}/links`, { workItemId: idea.id });
  const webhook = await call('POST', '/api/webhooks', {
    url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/?<script>hacked=1</script>`,
    description: hostile('Webhook', 500),
  });
  webhookId = webhook.id;
  await call('POST', `/api/webhooks/${webhookId}/test`, {});
});

/** Links that lead to something other than a page. */
function badLinks(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
      .filter(({ protocol }) => !['http:', 'https:', 'mailto:'].includes(protocol))
      .map(({ href }) => href),
  );
}

/** Checks what is shown against everything a text could do to it, once the texts are there. */
async function isHarmless(visitor: Visitor, state: string, texts: readonly string[]): Promise<void> {
  const { page } = visitor;
  for (const text of texts) await page.getByText(text).first().waitFor({ state: 'attached' });
  await visitor.fits(`hostile-${state}`);
  for (const frame of page.frames()) {
    expect(await frame.evaluate(() => 'hacked' in globalThis), `${state}: something ran in ${frame.url()}`).toBe(false);
  }
  expect(await badLinks(page)).toEqual([]);
  const active = 'main :is(script, object, embed, base, style, link, form[action], [onload], [onerror], [onfocus])';
  expect(await page.locator(active).evaluateAll((all) => all.map(({ outerHTML }) => outerHTML))).toEqual([]);
  const pictures = visitor.requests.filter(({ type }) => type === 'image').map(({ path }) => path);
  const isOurs = (path: string) =>
    /^\/(console\/assets\/icon-|api\/work-items\/[\w-]+\/attachments\/local$)/.test(path);
  expect(pictures.filter((path) => !isOurs(path))).toEqual([]);
}

const SCREENS: readonly (readonly [state: string, path: () => string, texts: readonly string[]])[] = [
  [
    'board',
    () => `board?project=${organization.projectId}`,
    ['Epic text', 'Task text', 'Agent text', 'Note text', 'Column text', 'Project text', 'Owner text'],
  ],
  ['plan-chooser', () => `plan?project=${organization.projectId}`, ['Epic text']],
  ['plan', () => `plan/${epic.taskId}`, ['Task text', 'Second text', 'Agent text']],
  ['agents', () => 'agents', ['Agent text', 'Note text', 'Question text', 'Task text']],
  ['inbox', () => 'inbox', ['Message text']],
  ['costs', () => `costs?project=${organization.projectId}`, ['Model text', 'Epic text']],
  ['keys', () => 'settings/keys', ['Key text']],
  ['users', () => 'settings/users', ['User text', 'Owner text']],
  ['sessions', () => 'settings/sessions', ['Owner text']],
  ['sources', () => 'settings/sources', ['Source text']],
  ['webhooks', () => 'settings/webhooks', ['Webhook text']],
  ['audit', () => 'settings/audit', ['Key text']],
];

test.each(SCREENS)('hostile texts run nothing and load nothing: %s', async (state, path, texts) => {
  await isHarmless(await stage.visit(path()), state, texts);
});

test('hostile texts run nothing and load nothing: an item whose description, comments and results are Markdown', async () => {
  const visitor = await stage.visit(`items/${task.taskId}`);
  const texts = [
    'Task text',
    'Description text',
    'Comment text',
    'Actions text',
    'Summary text',
    'Issue text',
    'Reviewed text',
    'Tested text',
  ];
  await isHarmless(visitor, 'item', [
    ...texts,
    'Documented text',
    'Changed text',
    'Model text',
    'Epic text',
    'File text',
    'Agent text',
  ]);
  const { page } = visitor;
  for (const name of ['Edit title', 'Edit description']) {
    await page.getByRole('button', { name }).click();
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Write a prompt' }).click();
  await page.getByText('Copy', { exact: true }).first().waitFor();
  await page.locator('summary').first().click();
  await isHarmless(visitor, 'item-prompt', texts);
  await page.getByRole('button', { name: /^Delete File/ }).click();
  await isHarmless(visitor, 'item-delete', texts);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'fifteen' }).first().click();
  await isHarmless(visitor, 'item-linked', ['There is no item %E0%A4%A']);
});

test('hostile texts run nothing and load nothing: menus, dialogs and messages', async () => {
  const visitor = await stage.visit(`board?project=${organization.projectId}`);
  const { page } = visitor;
  const column = page.getByRole('menuitem', { name: /To Column/ });
  // What changes on the board just then may close the menu.
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: `Move ${task.taskId}` }).click();
      return column.isVisible();
    })
    .toBe(true);
  await column.click();
  // An agent works on it.
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Account of Owner/ }).click();
  await isHarmless(visitor, 'board-menu', ['Column text']);

  await page.goto(`${stage.url}/console/settings/keys`);
  await page.getByRole('button', { name: /^Revoke Key/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await isHarmless(visitor, 'key-revoked', ['has been revoked and no longer works anywhere']);
  await page.goto(`${stage.url}/console/settings/sources`);
  await page.getByRole('button', { name: /^Tag and preview/ }).click();
  await page.frameLocator('iframe').getByRole('button', { name: 'Feedback' }).waitFor();
  await isHarmless(visitor, 'source-tag', ['Source text']);
  await page.goto(`${stage.url}/console/settings/webhooks`);
  await page.getByRole('link', { name: /^Deliveries/ }).click();
  await page.getByText('Response', { exact: true }).first().click();
  await isHarmless(visitor, 'deliveries', ['Answer text']);
  await page.goto(`${stage.url}/console/inbox`);
  await page.getByRole('button', { name: 'Turn into an idea' }).click();
  await isHarmless(visitor, 'inbox-idea', ['Message text']);
});

test.each([
  'items/%3Cscript%3Ehacked=1%3C%2Fscript%3E',
  'plan/%3Cimg%20src=x%20onerror=hacked=1%3E',
  'board?project=%3Cscript%3Ehacked=1%3C/script%3E&q=%3Cimg%20src=x%20onerror=hacked=1%3E&type=%22%3E&priority=__proto__',
  'inbox?status=%3Cscript%3E&q=%22%3E%3Csvg%20onload=hacked=1%3E&item=%3Cscript%3E',
  'costs?from=javascript:hacked=1&to=%3Cscript%3E',
  'settings/__proto__',
  'no/%3Cscript%3Ehacked=1%3C/script%3E',
])('a hostile address leads to nothing: %s', async (path) => {
  const visitor = await stage.visit(path);
  await visitor.page.getByRole('navigation').first().waitFor();
  await expect.poll(() => visitor.page.getByText('Loading…').count()).toBe(0);
  await isHarmless(visitor, `address-${path.replaceAll(/\W+/g, '-').slice(0, 40)}`, ['Board']);
});

test('a text that reverses letters reverses nothing outside itself', async () => {
  await createItem(organization, { title: `${OVERRIDE}Turned`, parentId: epic.id });
  const { page } = await stage.visit(`items/${epic.taskId}`);
  const entry = page.locator('.item-link', { hasText: 'Turned' }).first();
  await entry.waitFor();
  expect(await entry.locator('.tag').count()).toBe(1);
  const [link, tag] = [await entry.locator('a').boundingBox(), await entry.locator('.tag').boundingBox()];
  expect(link?.x).toBeLessThan(tag?.x ?? 0);
  // Nor what a sentence says after a name.
  await page.goto(`${stage.url}/console/items/${task.taskId}`);
  await page.getByText('moved it from').first().waitFor();
  const sentences = await page.locator('.history li > p:first-child').allTextContents();
  expect(sentences.filter((sentence) => sentence.includes('Owner text')).length).toBeGreaterThan(3);
  expect(sentences.filter((sentence) => sentence.includes(OVERRIDE))).toEqual([]);
});

test('what is written from right to left is shown so, and nothing around it', async () => {
  const title = 'إصلاح الدفع (v2) قبل الإطلاق';
  const item = await createItem(organization, {
    ...{ title, parentId: epic.id, description: `${title}\n\n- ${title}\n\nFirst, then last` },
  });
  const visitor = await stage.visit(`items/${item.taskId}`);
  const { page } = visitor;
  /** Whether the first word is to the left of the last. */
  const startsLeft = (within: Locator, first = 'إصلاح', last = 'الإطلاق') =>
    within.evaluate(
      (element, words) => {
        const [begin, end] = words.map((word) => {
          const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            const at = text.textContent?.indexOf(word) ?? -1;
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, at + word.length);
            return range.getBoundingClientRect().left;
          }
          throw new Error(`${word} is not there.`);
        });
        return Number(begin) < Number(end);
      },
      [first, last],
    );
  await page.locator('.markdown li').waitFor();
  expect(await startsLeft(page.getByRole('heading', { level: 1 }))).toBe(false);
  expect(await startsLeft(page.locator('.markdown p').first())).toBe(false);
  expect(await startsLeft(page.locator('.markdown li'))).toBe(false);
  expect(await startsLeft(page.locator('.markdown p').last(), 'First', 'last')).toBe(true);
  await page.goto(`${stage.url}/console/items/${epic.taskId}`);
  const child = page.locator('.item-link', { hasText: item.taskId }).first();
  await child.waitFor();
  expect(await startsLeft(child)).toBe(false);
  expect(await startsLeft(child, item.taskId, 'الإطلاق')).toBe(true);
  await page.goto(`${stage.url}/console/board?q=${encodeURIComponent('الإطلاق')}`);
  await page.locator('.card-title', { hasText: title }).waitFor();
  expect(await startsLeft(page.locator('.card-title', { hasText: title }))).toBe(false);
  await visitor.fits('right-to-left');
});

test('an answer that cannot be rendered says so, and leaves the rest of the page as it is', async () => {
  const visitor = await stage.visit('agents');
  const { page } = visitor;
  const usage = (route: Route) => route.fulfill({ json: { success: true, data: { groups: [null] } } });
  await page.route('**/api/ai-usage?*', usage);
  await page.getByRole('link', { name: 'Costs' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
});

test('Markdown that is nested too deeply to be drawn is shown as it was written, and the page around it stays', async () => {
  const nested = '>'.repeat(10_000);
  const { id, taskId } = await createItem(organization, { title: 'Nested', description: nested });
  await call('POST', `/api/work-items/${id}/comments`, { text: nested });
  const { page } = await stage.visit(`items/${taskId}`);
  await page.getByRole('button', { name: 'Edit title' }).waitFor();
  await page.locator('pre', { hasText: nested }).nth(1).waitFor();
});

test('a paragraph that is far too long to look for marks in is shown as it was written', async () => {
  const long = '['.repeat(3_000);
  const description = `**${long}**\n\n**short**`;
  const { taskId } = await createItem(organization, { title: 'Long', description });
  const { page } = await stage.visit(`items/${taskId}`);
  await page.getByText(`**${long}**`, { exact: true }).waitFor();
  await page.locator('strong', { hasText: 'short' }).waitFor();
});
