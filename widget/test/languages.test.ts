import { describe, expect, test } from 'vitest';
import { de } from '../src/locales/de.ts';
import { en } from '../src/locales/en.ts';
import { es } from '../src/locales/es.ts';
import { fr } from '../src/locales/fr.ts';
import { ja } from '../src/locales/ja.ts';
import { tr } from '../src/locales/tr.ts';
import { chooseLanguage, count, fill, inTime } from '../src/strings.ts';
import { createSource } from './support/source.ts';
import { openStage } from './support/stage.ts';

const LOCALES = { en, de, fr, es, tr, ja };

describe('the language', () => {
  test.each([
    [['de'], 'de', 'de'],
    [['de-CH'], 'de-CH', 'de'],
    [['DE_at'], 'de-AT', 'de'],
    [['zh-Hans-CN', 'fr-CA'], 'fr-CA', 'fr'],
    [[undefined, '', 'ja'], 'ja', 'ja'],
    [['not a tag', 'es'], 'es', 'es'],
    [['constructor', 'tr'], 'tr', 'tr'],
    [['ko', 'pt'], 'en', 'en'],
    [[], 'en', 'en'],
  ])('for the preferences %j is %s, shown in %s', (wishes, tag, shown) => {
    expect(chooseLanguage(wishes)).toEqual({ tag, shown });
  });

  test('counts and times are in its own words and digits', () => {
    expect(count(en.charactersLeft, 1, 'en')).toBe('1 character left');
    expect(count(fr.charactersTooMany, 1234, 'fr')).toMatch(/^1\s234 caractères en trop$/u);
    expect(count(es.charactersLeft, 1, 'es')).toBe('queda 1 carácter');
    expect(inTime(42, 'de')).toBe('in 42 Sekunden');
    expect(inTime(200, 'ja')).toBe('4 分後');
  });
});

describe.each(Object.entries(LOCALES))('the words of %s', (_, strings) => {
  test('have a place for what is filled in', () => {
    expect(strings.failures.rateLimited).toContain('{time}');
    for (const forms of [strings.charactersLeft, strings.charactersTooMany]) {
      for (const form of Object.values(forms)) expect(form).toContain('{n}');
    }
  });

  test('are complete, and all their own', () => {
    const all = JSON.stringify(strings);
    expect(all).not.toContain('""');
    if (strings !== en) {
      const own = leaves(strings).filter(([path, text]) => text === new Map(leaves(en)).get(path));
      // Words that are the same in both languages.
      expect(
        own.map(([, text]) => text).filter((text) => !['Feedback', 'Problem', 'Question', 'E-mail'].includes(text)),
      ).toEqual([]);
    }
  });
});

function leaves(value: object, path = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? [[`${path}.${name}`, inner] as [string, string]] : leaves(inner, `${path}.${name}`),
  );
}

describe('on a page', () => {
  const stage = openStage();
  const { scene } = stage;

  test.each(Object.entries(LOCALES))(
    'data-locale="%s" shows everything in it, and tells screen readers so',
    async (locale, strings) => {
      const source = await createSource(stage.organization);
      const visitor = await scene.visit(stage.baseUrl, { tag: { ...source.tag, 'data-locale': locale } });
      await visitor.open();
      await visitor.picture(`language-${locale}`);
      const text = await visitor.dialog.textContent();
      for (const words of [
        strings.title,
        strings.intro,
        strings.category,
        strings.message,
        strings.emailHelp,
        strings.privacy,
      ]) {
        expect(text).toContain(words);
      }
      expect(await visitor.message.getAttribute('placeholder')).toBe(strings.hints.other);
      expect(await visitor.dialog.evaluate((dialog) => dialog.closest('[lang]')?.getAttribute('lang'))).toBe(locale);
      await visitor.page.context().setOffline(true);
      await (await visitor.write('…')).send();
      await visitor.thanks.filter({ hasText: fill(strings.waiting.one, { n: '1' }) }).waitFor();
      await visitor.picture(`language-${locale}-waiting`);
      await visitor.page.context().setOffline(false);
      await visitor.thanks.filter({ hasText: strings.sentText }).waitFor();
      expect(await visitor.thanks.textContent()).toContain(strings.sent);
    },
  );

  test('without data-locale it is that of the page, or else that of the visitor', async () => {
    const source = await createSource(stage.organization);
    const page = await scene.visit(stage.baseUrl, { tag: source.tag, lang: 'tr-TR' }, { locale: 'fr-FR' });
    expect(await page.launcher.textContent()).toBe(tr.launcher);
    const visitor = await scene.visit(stage.baseUrl, { tag: source.tag, lang: '' }, { locale: 'fr-FR' });
    expect(await visitor.launcher.textContent()).toBe(fr.launcher);
  });

  test('if its words do not arrive the form is there in English, after some seconds', async () => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visitor();
    await visitor.page.route('**/widget-de.json', () => {});
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: { ...source.tag, 'data-locale': 'de' } }));
    expect(await visitor.launcher.textContent()).toBe(en.launcher);
  });

  test('if its words cannot be loaded the form is there in English, and still says which language was asked for', async () => {
    const source = await createSource(stage.organization);
    const visitor = await scene.visitor();
    await visitor.page.route('**/widget-de.json', (route) => route.abort());
    await visitor.page.goto(scene.site.add(stage.baseUrl, { tag: { ...source.tag, 'data-locale': 'de-DE' } }));
    await (await (await visitor.open()).write('Ohne Wörter.')).send();
    await visitor.isThanked();
    expect(await visitor.thanks.textContent()).toContain(en.sent);
    expect(await source.inbox()).toMatchObject([{ locale: 'de-DE' }]);
  });
});
