import { expect, test } from 'vitest';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';

const stage = openStage();
const { scene } = stage;

test('what is sent from an allowed website is in the inbox, with where and in which language it was written', async () => {
  const source = await createSource(stage.organization, { allowedDomains: ['shop.localhost'] });
  const visitor = await scene.visit(stage.baseUrl, { tag: { ...source.tag, 'data-locale': 'de-CH' } });
  await visitor.open();
  await visitor.page.getByRole('radio', { name: 'Problem' }).check();
  await visitor.write('Der Preis fehlt.\n💡', 'kundin@example.com');
  await visitor.picture('written');
  await visitor.send();
  await visitor.isThanked();
  await visitor.picture('thanked');
  expect(await source.inbox()).toMatchObject([
    {
      status: 'new',
      message: 'Der Preis fehlt.\n💡',
      category: 'bug',
      email: 'kundin@example.com',
      pageUrl: visitor.page.url(),
      locale: 'de-CH',
      origin: scene.site.origin(),
    },
  ]);
  expect(visitor.console).toEqual([]);
});

test('from a frame without an address of its own, the page around it is sent', async () => {
  const source = await createSource(stage.organization, { allowedDomains: ['shop.localhost'] });
  const tag = `<script src='${stage.baseUrl}/widget.js' data-public-key='${source.tag['data-public-key']}'></script>`;
  const { page } = await scene.visitor();
  await page.goto(scene.site.add(stage.baseUrl, { tag: {}, body: `<iframe height=600 srcdoc="${tag}"></iframe>` }));
  const widget = page.frameLocator('iframe').locator('worktrack-feedback');
  await widget.locator('.launcher').click();
  await widget.locator('textarea').fill('From a frame.');
  await widget.locator('button[type=submit]').click();
  await widget.locator('.success').waitFor();
  expect(await source.inbox()).toMatchObject([{ message: 'From a frame.', pageUrl: page.url() }]);
});

test('a wildcard allows every subdomain, and not the domain itself', async () => {
  const source = await createSource(stage.organization, { allowedDomains: ['*.shop.localhost'] });
  const below = await scene.visit(stage.baseUrl, { host: 'eu.north.shop.localhost', tag: source.tag });
  await (await (await below.open()).write('From below.')).send();
  await below.isThanked();

  const itself = await scene.visit(stage.baseUrl, { host: 'shop.localhost', tag: source.tag });
  await itself.open();
  await itself.isTold('Feedback from this website is not accepted.');
});

test('the user of a website that is not allowed is told so, its developer what to do, and once that is done nothing has to be retyped', async () => {
  const source = await createSource(stage.organization, { allowedDomains: ['other.localhost'] });
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
  await visitor.open();
  await visitor.isTold('Feedback from this website is not accepted. Please tell its operator.');
  await visitor.picture('refused');
  const told = visitor.console.find((line) => line.includes('ORIGIN_NOT_ALLOWED'));
  expect(told).toContain(`Add "${scene.site.origin()}" to the allowed domains`);

  await visitor.write('Written before it was allowed.');
  await source.change({ allowedDomains: ['other.localhost', 'shop.localhost'] });
  // The public endpoints pick up a change within two seconds.
  const isAllowed = async () => {
    const url = `${stage.baseUrl}/feedback/widget/bootstrap?publicKey=${source.publicKey}`;
    return (await fetch(url, { headers: { origin: scene.site.origin() } })).ok;
  };
  await expect.poll(isAllowed).toBe(true);
  await visitor.send();
  await visitor.isThanked();
  expect(await source.inbox()).toMatchObject([{ message: 'Written before it was allowed.' }]);
});

test('a public key that names no source is explained in words, and to the developer', async () => {
  const visitor = await scene.visit(stage.baseUrl, { tag: { 'data-public-key': 'pk_aaaaaaaaaaaaaaaaaaaaaaaa' } });
  await visitor.open();
  await visitor.isTold('This feedback form is not in service.');
  expect(visitor.console.join('\n')).toContain('SOURCE_NOT_FOUND');
});

test('a tag without a key puts nothing on the page and says why; so does a second tag', async () => {
  const without = await scene.visitor();
  await without.page.goto(scene.site.add(stage.baseUrl, { tag: {} }));
  await expect.poll(() => without.console.join()).toContain('needs data-public-key');
  expect(await without.launcher.count()).toBe(0);

  const source = await createSource(stage.organization);
  const twice = await scene.visit(stage.baseUrl, {
    tag: source.tag,
    body: `<p>Twice.</p><script src="${stage.baseUrl}/widget.js" data-public-key="${source.publicKey}"></script>`,
  });
  await expect.poll(() => twice.console.join()).toContain('twice');
  expect(await twice.launcher.count()).toBe(1);
});

test('an element of the page that has the name of the widget is not taken for it', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, {
    tag: source.tag,
    body: '<button id="WorktrackFeedback" onclick="WorktrackFeedback.open()">Say something</button>',
  });
  await visitor.page.getByText('Say something').click();
  await visitor.dialog.waitFor();
  expect(visitor.console).toEqual([]);
});

test('a tag in the head, which runs before there is a body, works as well', async () => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag, tagIn: 'head' });
  await (await (await visitor.open()).write('From the head.')).send();
  await visitor.isThanked();
  expect(visitor.console).toEqual([]);
});

test.each([
  [
    'replaces the body',
    () => {
      const body = document.createElement('body');
      body.textContent = 'Another page.';
      document.documentElement.replaceChild(body, document.body);
    },
  ],
  ['replaces what is in the body', () => document.body.replaceChildren('Another page.')],
])(
  'a site that goes to its next page by script and %s keeps the widget, also while the form is open',
  async (_, go) => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visit(stage.baseUrl, { tag: source.tag });
    await visitor.page.evaluate(go);
    await (await visitor.open()).write('Written on two pages.');
    await visitor.page.evaluate(go);
    await visitor.page.evaluate(go);
    expect(await visitor.dialog.evaluate((dialog) => dialog.matches(':modal'))).toBe(true);
    await visitor.send();
    await visitor.isThanked();
    await visitor.page.keyboard.press('Escape');
    await visitor.dialog.waitFor({ state: 'hidden' });
    expect(await visitor.page.locator('worktrack-feedback').count()).toBe(1);
    expect(await source.inbox()).toMatchObject([{ message: 'Written on two pages.' }]);
  },
);

const WITHOUT_STYLES = (base: string) =>
  `default-src 'none'; script-src ${base}; connect-src ${base}; worker-src blob:; require-trusted-types-for 'script'; trusted-types worktrack-feedback`;

test('a strict policy of the page is followed to the letter: no inline style, no script but its own, no string as code', async () => {
  const source = await createSource(stage.organization, { requireCaptcha: true });
  const visitor = await scene.visit(stage.baseUrl, {
    tag: { ...source.tag, 'data-accent': '#0f766e', 'data-locale': 'fr' },
    policy: `${WITHOUT_STYLES(stage.baseUrl)}; img-src data:`,
  });
  expect(await visitor.launcher.evaluate((launcher) => getComputedStyle(launcher).position)).toBe('fixed');
  await (await (await visitor.open()).write('Écrit sous une politique stricte.')).send();
  await visitor.isThanked();
  await visitor.picture('strict-policy');
  expect(visitor.console).toEqual([]);
  expect(await source.inbox()).toHaveLength(1);
});

test.each([
  ['with the button', 'button[type=submit]', 'Space'],
  ['with Enter in a field', 'input[type=email]', 'Enter'],
  ['from within the message', 'textarea', 'Control+Enter'],
])('in a frame that may not submit forms the message is sent all the same, %s', async (how, where, key) => {
  const source = await createSource(stage.organization);
  const visitor = await scene.visit(stage.baseUrl, { tag: source.tag, policy: 'sandbox allow-scripts' });
  await (await visitor.open()).write(`Sent ${how}.`);
  await visitor.dialog.locator(where).press(key);
  await visitor.isThanked();
  expect(await source.inbox()).toMatchObject([{ message: `Sent ${how}.` }]);
});

test('if the policy refuses workers, the captcha is solved in the page, and the developer is told what would allow one', async () => {
  const source = await createSource(stage.organization, { requireCaptcha: true });
  const visitor = await scene.visit(stage.baseUrl, {
    tag: source.tag,
    policy: WITHOUT_STYLES(stage.baseUrl).replace('worker-src blob:', "worker-src 'none'; img-src data:"),
  });
  await (await (await visitor.open()).write('Solved in the page.')).send();
  await visitor.isThanked();
  expect(visitor.page.workers()).toHaveLength(0);
  expect(visitor.console.join('\n')).toContain('worker-src blob:');
  expect(await source.inbox()).toHaveLength(1);
});

test('a script with the page’s nonce passes it on to the solver that it adds', async () => {
  const source = await createSource(stage.organization, { requireCaptcha: true });
  const visitor = await scene.visit(stage.baseUrl, {
    tag: { ...source.tag, nonce: 'r4nd0m' },
    policy: `default-src 'none'; script-src 'nonce-r4nd0m'; connect-src ${stage.baseUrl}; img-src data:`,
  });
  await (await (await visitor.open()).write('Solved under a nonce.')).send();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});

test('on a page without https, where browsers offer no cryptography, the captcha is solved all the same', async () => {
  const source = await createSource(stage.organization, { requireCaptcha: true });
  const visitor = await scene.visit(stage.baseUrl, { host: 'intranet.test', tag: source.tag });
  expect(await visitor.page.evaluate(() => [isSecureContext, 'subtle' in crypto])).toEqual([false, false]);
  await (await (await visitor.open()).write('From the intranet.')).send();
  await visitor.isThanked();
  expect(await source.inbox()).toHaveLength(1);
});

test('pinned by its hash, the script and everything that it loads are those of that build', async () => {
  const source = await createSource(stage.organization, { requireCaptcha: true });
  const manifest = (await (await fetch(`${stage.baseUrl}/widget/manifest.json`)).json()) as Record<
    string,
    { path: string; integrity: string }
  >;
  const { path, integrity } = manifest['widget.js'] as { path: string; integrity: string };
  const tag = { ...source.tag, crossorigin: 'anonymous', 'data-locale': 'ja' };
  const visitor = await scene.visitor();
  const loaded: string[] = [];
  visitor.page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: { ...tag, integrity }, script: path.slice(1) }));
  await (await (await visitor.open()).write('固定されたビルドから。')).send();
  await visitor.isThanked();
  for (const name of ['widget.js', 'widget-ja.json', 'widget-solver.js']) {
    expect(loaded).toContain(manifest[name]?.path);
    expect(loaded).not.toContain(`/${name}`);
  }

  const wrong = `sha384-${'A'.repeat(64)}`;
  const refused = await scene.visitor();
  await refused.page.goto(scene.site.add(stage.baseUrl, { tag: { ...tag, integrity: wrong }, script: path.slice(1) }));
  await expect.poll(() => refused.console.join('\n')).toContain('integrity');
  expect(await refused.launcher.count()).toBe(0);
});

test('the styles of the page and those of the widget never affect each other', async () => {
  const source = await createSource(stage.organization);
  const hostile = `
    html { font-size: 62.5%; }
    * { color: red !important; font: 900 40px/3 monospace !important; letter-spacing: 9px !important; text-transform: uppercase !important; }
    worktrack-feedback, div, button, dialog, form, textarea { display: none !important; border: 9px solid lime !important; visibility: hidden !important; }
    p { color: rgb(1, 2, 3); }`;
  const look = (visitor: Awaited<ReturnType<typeof scene.visit>>) =>
    visitor.dialog.evaluate((dialog) =>
      [dialog, ...dialog.querySelectorAll('h2, label, textarea, button, p')].map((element) => {
        const { color, font, letterSpacing, textTransform, display, visibility, border, width } =
          getComputedStyle(element);
        return { color, font, letterSpacing, textTransform, display, visibility, border, width };
      }),
    );
  // A colour in mid-transition would differ from one that has arrived.
  const still = { reducedMotion: 'reduce' } as const;
  const plain = await (await scene.visit(stage.baseUrl, { tag: source.tag }, still)).open();
  const styled = await (await scene.visit(stage.baseUrl, { tag: source.tag, styles: hostile }, still)).open();
  expect(await look(styled)).toEqual(await look(plain));

  const pageOnly = await scene.visitor();
  await pageOnly.page.goto(scene.site.add(stage.baseUrl, { tag: {}, styles: 'p { color: rgb(1, 2, 3); }' }));
  const withWidget = await scene.visit(stage.baseUrl, { tag: source.tag, styles: 'p { color: rgb(1, 2, 3); }' });
  const paragraph = (visitor: typeof plain) =>
    visitor.page.locator('main p').evaluate((p) => JSON.stringify(Object.entries(getComputedStyle(p))));
  expect(await paragraph(withWidget)).toBe(await paragraph(pageOnly));
});
