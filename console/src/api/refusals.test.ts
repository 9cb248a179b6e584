import { ERRORS, type ErrorCode, type ErrorExtra, REASONS } from '@worktrack/contracts/errors';
import { createWebhook } from '@worktrack/contracts/events/webhooks';
import { createSource } from '@worktrack/contracts/feedback/sources';
import { createUser } from '@worktrack/contracts/keys/users';
import { LANGUAGES } from '@worktrack/contracts/people/languages';
import { updateBoard } from '@worktrack/contracts/projects/board-operations';
import { updateProject } from '@worktrack/contracts/projects/project-operations';
import { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import { setProjectBudget } from '@worktrack/contracts/work-items/costs/budget';
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../../libs/runtime/validation/parse.ts';

// What the language is said of: the only part of a page that is needed here.
Object.assign(globalThis, { document: { documentElement: {} } });
const { language } = await import('../language/language.ts');
const { sentences, sentenceFor, SUFFICIENT } = await import('./refusals.ts');
const { refusal } = await import('./service-error.ts');

const at = (path: string) => ({ details: [{ path, message: 'is wrong' }] });
/** A refusal, and what is said of it in German, Turkish and Japanese. In English: the same, or the service's own words. */
const TABLE: [code: ErrorCode, extra: ErrorExtra, de: string, tr: string, ja: string][] = [
  ['CONFLICT', { reason: 'taken' }, 'unter diesem Namen', 'Bu adda', '同じ名前'],
  ['CONFLICT', { reason: 'limit' }, 'Mehr sind nicht möglich', 'Sınıra ulaşıldı', '上限'],
  ['CONFLICT', { reason: 'not_empty' }, 'noch etwas darin', 'hâlâ bir şeyler var', '中身があります'],
  ['CONFLICT', { reason: 'default_board' }, 'Standardboard', 'varsayılan panosu', '既定のボード'],
  ['CONFLICT', { reason: 'last_owner' }, 'einen Inhaber', 'bir sahibi', 'オーナーが必要'],
  ['CONFLICT', { reason: 'user_disabled' }, 'gesperrt', 'devre dışı', '無効'],
  [
    'PERMISSION_DENIED',
    { reason: 'beyond_own', ...at('id') },
    'als du selbst darfst',
    'kendi yetkileriniz',
    'ご自身の権限',
  ],
  ['CONFLICT', { reason: 'gate', ...at('force') }, 'durch ein Urteil', 'bir kararla', '判定によって'],
  ['CONFLICT', { reason: 'held', ...at('takeOver') }, 'Ein Agent arbeitet daran', 'bir ajan çalışıyor', '作業中'],
  ['CONFLICT', { reason: 'not_due' }, 'steht dieses Urteil nicht an', 'bu kararın', 'この判定'],
  ['CONFLICT', { reason: 'own_work' }, 'hast du selbst gearbeitet', 'siz yaptınız', 'ご自身の作業'],
  ['CONFLICT', { reason: 'nobody_asks' }, 'wartet niemand mehr', 'yanıt bekleyen yok', '回答は求められていません'],
  ['CONFLICT', { reason: 'asked_anew' }, 'etwas anderes', 'başka bir şey soruyor', '別の質問'],
  ['CONFLICT', { current: { version: 2 } }, 'jemand anderes geändert', 'başka biri', '他の人が先に'],
  ['CONFLICT', {}, 'geht das nicht', 'yapılamaz', '実行できません'],
  ['VALIDATION_FAILED', at('parentId'), 'nicht Teil davon', 'ona bağlanamaz', '子にはできません'],
  ['VALIDATION_FAILED', at('dependsOn.0'), 'Darauf kann es nicht warten', 'onu bekleyemez', '依存できません'],
  ['VALIDATION_FAILED', at('epic'), 'gibt es nicht mehr', 'artık yok', 'もうありません'],
  ['VALIDATION_FAILED', at('epicNot'), 'gibt es nicht mehr', 'artık yok', 'もうありません'],
  ['VALIDATION_FAILED', at('label'), 'gibt es nicht mehr', 'artık yok', 'もうありません'],
  ['VALIDATION_FAILED', at('boardColumnId'), 'gibt es nicht mehr', 'artık yok', 'もうないか'],
  ['VALIDATION_FAILED', at('title'), 'nicht angenommen', 'kabul edilmiyor', '受け付けられません'],
  ['PERMISSION_DENIED', {}, 'Das darfst du nicht', 'yetkiniz yok', '権限がありません'],
  ['NOT_FOUND', {}, 'nicht mehr da', 'Artık yok', '削除されたか'],
  ['PAYLOAD_TOO_LARGE', {}, 'zu groß', 'çok büyük', '大きすぎます'],
  ['API_KEY_INVALID', {}, 'widerrufen oder abgelaufen', 'iptal edilmiş', '期限切れ'],
  ['INTERNAL', {}, 'schiefgegangen', 'sorun oluştu', '問題が発生'],
];

describe.each(TABLE)('%s %j', (code, extra, ...said) => {
  test.each(LANGUAGES)('in %s', async (tag) => {
    language.value = tag;
    const refused = await refusal({ code, message: 'In its own words.', status: ERRORS[code].status, ...extra });
    const sentence = refused.sentence();
    // In English, only what the service's own words do not say to people.
    if (tag === 'en') expect(sentence === undefined || sentence.isSufficient).toBe(true);
    else expect(sentence?.text).toContain(said[LANGUAGES.indexOf(tag) - 1]);
  });
});

test.each([
  ['title', createWorkItem, {}, 'Das fehlt noch.'],
  ['title', createWorkItem, { title: '' }, 'Das fehlt noch.'],
  ['title', createWorkItem, { title: 'a'.repeat(501) }, 'Höchstens 500 Zeichen.'],
  ['estimate', createWorkItem, { estimate: -1 }, 'Mindestens 0.'],
  ['limitUsd', setProjectBudget, { limitUsd: 1e12 }, 'Höchstens 1.000.000.000.'],
  ['email', createUser, { email: 'grace' }, 'Das ist keine E-Mail-Adresse.'],
  ['title', createWorkItem, { title: 'One\ntwo' }, 'Nur eine Zeile.'],
  ['dueDate', createWorkItem, { dueDate: '2026-02-30' }, 'Dieses Datum ist hier nicht möglich.'],
  ['dueDate', createWorkItem, { dueDate: '1066-10-14' }, 'Dieses Datum ist hier nicht möglich.'],
  ['estimate', createWorkItem, { estimate: 'much' }, 'Das ist keine Zahl.'],
  ['url', createWebhook, { url: 'hooks.example' }, 'Das ist keine https-Adresse.'],
  ['allowedDomains.0', createSource, { allowedDomains: ['http://'] }, 'Das ist keine Domain wie example.com.'],
  ['columns.0.limit', updateBoard, { columns: [{ name: 'Now', limit: 1.5 }] }, 'Nur ganze Zahlen.'],
  ['key', updateProject, { key: '12' }, 'Ein bis fünf Buchstaben von A bis Z.'],
  [
    'columns.1.name',
    updateBoard,
    { columns: [{ name: 'Now' }, { name: 'Now' }] },
    'Das gibt es unter diesem Namen schon.',
  ],
])(
  'what is wrong with %s is said in the language of the page, and not only that something is',
  async (field, { input }, given, said) => {
    language.value = 'de';
    const details = faultsOf(input, given);
    const refused = await refusal({ code: 'VALIDATION_FAILED', message: 'In its own words.', status: 400, details });
    expect(refused.sentence(details.find(({ path }) => path === field)?.message)?.text).toBe(said);
  },
);

test('each reason has a sentence in each language but English, and in English where the service’s words are left out', () => {
  for (const tag of LANGUAGES) {
    language.value = tag;
    for (const name of REASONS) {
      // Of addresses that no page asks for.
      if (name === 'no_route') continue;
      expect(sentences[name] !== '', `${name} ${tag}`).toBe(tag !== 'en' || SUFFICIENT.includes(name));
    }
  }
});

test('what a later service refuses for a reason that this page does not know is said in general words', async () => {
  language.value = 'de';
  const refused = await refusal({ code: 'CONFLICT', message: 'New.', status: 409, reason: 'new' as never });
  expect(sentenceFor(refused)).toEqual({ text: sentences.CONFLICT, isSufficient: false });
});
