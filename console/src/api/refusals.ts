import type { ErrorDetail } from '@worktrack/contracts/errors';
import { messages } from '../language/messages.ts';

/**
 * What people meet: by reason, else by the field at fault, else by code. English has a sentence of its own only where the service's words are not for people.
 */
export const sentences = messages({
  taken: {
    en: '',
    de: 'Das gibt es unter diesem Namen schon.',
    tr: 'Bu adda biri zaten var.',
    ja: '同じ名前のものがすでにあります。',
  },
  limit: {
    en: '',
    de: 'Mehr sind nicht möglich. Entferne etwas, das nicht mehr gebraucht wird.',
    tr: 'Sınıra ulaşıldı. Artık kullanılmayan birini kaldırın.',
    ja: '上限に達しています。不要なものを削除してください。',
  },
  not_empty: {
    en: '',
    de: 'Es ist noch etwas darin. Verschiebe oder lösche das zuerst.',
    tr: 'İçinde hâlâ bir şeyler var. Önce onları taşıyın ya da silin.',
    ja: 'まだ中身があります。先に移動するか削除してください。',
  },
  default_board: {
    en: 'It is the default board of its project. Make another one the default first.',
    de: 'Es ist das Standardboard des Projekts. Wähle zuerst ein anderes.',
    tr: 'Bu, projenin varsayılan panosu. Önce başka bir panoyu varsayılan yapın.',
    ja: 'プロジェクトの既定のボードです。先に別のボードを既定にしてください。',
  },
  last_owner: {
    en: 'The organization needs an owner. Make somebody else one first.',
    de: 'Die Organisation braucht einen Inhaber. Mache zuerst jemand anderen dazu.',
    tr: 'Kuruluşun bir sahibi olmalı. Önce başka birini sahip yapın.',
    ja: '組織にはオーナーが必要です。先に別の人をオーナーにしてください。',
  },
  user_disabled: {
    en: 'This user is disabled. Enable the user first.',
    de: 'Dieser Benutzer ist gesperrt. Gib ihn zuerst wieder frei.',
    tr: 'Bu kullanıcı devre dışı. Önce kullanıcıyı etkinleştirin.',
    ja: 'このユーザーは無効です。先に有効にしてください。',
  },
  beyond_own: {
    en: '',
    de: 'Damit ist mehr erlaubt, als du selbst darfst. Bitte jemanden mit mehr Rechten.',
    tr: 'Bu, kendi yetkilerinizden fazlasına izin veriyor. Bir sahipten ya da yöneticiden isteyin.',
    ja: 'ご自身の権限を超えています。オーナーか管理者に依頼してください。',
  },
  gate: {
    en: '',
    de: 'Hier kommt eine Aufgabe durch ein Urteil weiter, nicht von Hand.',
    tr: 'Görev buradan elle değil, bir kararla ilerler.',
    ja: 'ここでは手動ではなく、判定によって先へ進みます。',
  },
  held: {
    en: '',
    de: 'Ein Agent arbeitet daran und würde es verlieren.',
    tr: 'Üzerinde bir ajan çalışıyor; görev elinden alınmış olur.',
    ja: 'エージェントが作業中です。続けると作業が中断されます。',
  },
  not_due: {
    en: '',
    de: 'Wo die Aufgabe jetzt ist, steht dieses Urteil nicht an.',
    tr: 'Görev şu an bu kararın verileceği yerde değil.',
    ja: 'タスクは今、この判定を行う段階にありません。',
  },
  own_work: {
    en: 'You have worked on it yourself. Let somebody else decide.',
    de: 'Daran hast du selbst gearbeitet. Lass jemand anderen entscheiden.',
    tr: 'Bu işi siz yaptınız. Kararı başka biri versin.',
    ja: 'ご自身の作業です。判定は別の人に任せてください。',
  },
  nobody_asks: {
    en: 'Nobody waits for an answer any more. Leave a comment instead.',
    de: 'Auf eine Antwort wartet niemand mehr. Schreibe stattdessen einen Kommentar.',
    tr: 'Artık yanıt bekleyen yok. Bunun yerine yorum yazın.',
    ja: 'もう回答は求められていません。代わりにコメントしてください。',
  },
  asked_anew: {
    en: 'The agent asks something else now. Read it before you answer.',
    de: 'Der Agent fragt inzwischen etwas anderes. Lies es, bevor du antwortest.',
    tr: 'Ajan artık başka bir şey soruyor. Yanıtlamadan önce okuyun.',
    ja: 'エージェントは別の質問をしています。読んでから回答してください。',
  },
  parentId: {
    en: '',
    de: 'Es kann nicht Teil davon sein.',
    tr: 'Bu öğe ona bağlanamaz.',
    ja: 'その項目の子にはできません。',
  },
  dependsOn: {
    en: '',
    de: 'Darauf kann es nicht warten.',
    tr: 'Bu öğe onu bekleyemez.',
    ja: 'その項目には依存できません。',
  },
  filter: {
    en: 'What is filtered by no longer exists. Choose something else, or nothing.',
    de: 'Wonach gefiltert wird, gibt es nicht mehr. Wähle etwas anderes oder nichts.',
    tr: 'Süzülen değer artık yok. Başka birini seçin ya da süzgeci kaldırın.',
    ja: '絞り込みに使われている値はもうありません。別のものを選ぶか、条件を外してください。',
  },
  boardColumnId: {
    en: 'This column no longer exists, or is on another board.',
    de: 'Diese Spalte gibt es nicht mehr, oder sie ist auf einem anderen Board.',
    tr: 'Bu sütun artık yok ya da başka bir panoda.',
    ja: 'この列はもうないか、別のボードにあります。',
  },
  current: {
    en: 'Somebody else has changed it in the meantime. Look at it and repeat.',
    de: 'Inzwischen hat es jemand anderes geändert. Sieh es dir an und wiederhole es.',
    tr: 'Bu arada başka biri onu değiştirdi. Bakıp yeniden deneyin.',
    ja: '他の人が先に変更しました。内容を確認してやり直してください。',
  },
  VALIDATION_FAILED: {
    en: '',
    de: 'Das wird so nicht angenommen.',
    tr: 'Bu, bu hâliyle kabul edilmiyor.',
    ja: 'この内容は受け付けられません。',
  },
  PERMISSION_DENIED: {
    en: '',
    de: 'Das darfst du nicht. Bitte jemanden mit mehr Rechten.',
    tr: 'Buna yetkiniz yok. Bir sahipten ya da yöneticiden isteyin.',
    ja: 'この操作の権限がありません。オーナーか管理者に依頼してください。',
  },
  NOT_FOUND: {
    en: '',
    de: 'Es ist nicht mehr da oder für dich nicht zu sehen.',
    tr: 'Artık yok ya da görme yetkiniz yok.',
    ja: '削除されたか、閲覧する権限がありません。',
  },
  CONFLICT: {
    en: '',
    de: 'So, wie es jetzt steht, geht das nicht.',
    tr: 'Şu anki durumda bu yapılamaz.',
    ja: '現在の状態では実行できません。',
  },
  PAYLOAD_TOO_LARGE: {
    en: '',
    de: 'Es ist zu groß.',
    tr: 'Boyutu çok büyük.',
    ja: 'サイズが大きすぎます。',
  },
  API_KEY_INVALID: {
    en: 'It is unknown, was revoked, or has expired.',
    de: 'Er ist unbekannt, widerrufen oder abgelaufen.',
    tr: 'Bilinmiyor, iptal edilmiş ya da süresi dolmuş.',
    ja: '不明、失効、または期限切れです。',
  },
  other: {
    en: 'Something went wrong. If it happens again, tell whoever runs the service.',
    de: 'Etwas ist schiefgegangen. Passiert es wieder, sage es denen, die den Dienst betreiben.',
    tr: 'Bir sorun oluştu. Yinelenirse hizmeti işletenlere bildirin.',
    ja: '問題が発生しました。繰り返す場合は、サービスの運用担当者に知らせてください。',
  },
});

/** What is wrong with a field, in place of the service's words for it (libs/runtime/validation/parse.ts), with the number that these name. */
const faults = messages({
  empty: { en: 'This is required.', de: 'Das fehlt noch.', tr: 'Burası boş bırakılamaz.', ja: '入力してください。' },
  tooLong: {
    en: '{n} characters at most.',
    de: 'Höchstens {n} Zeichen.',
    tr: 'En fazla {n} karakter.',
    ja: '{n} 文字以内にしてください。',
  },
  tooMuch: { en: '{n} at most.', de: 'Höchstens {n}.', tr: 'En fazla {n}.', ja: '{n} 以下にしてください。' },
  tooLittle: { en: 'At least {n}.', de: 'Mindestens {n}.', tr: 'En az {n}.', ja: '{n} 以上にしてください。' },
  email: {
    en: 'This is no e-mail address.',
    de: 'Das ist keine E-Mail-Adresse.',
    tr: 'Bu bir e-posta adresi değil.',
    ja: 'メールアドレスではありません。',
  },
  date: {
    en: 'This is no date that can be used here.',
    de: 'Dieses Datum ist hier nicht möglich.',
    tr: 'Bu tarih burada kullanılamaz.',
    ja: 'この日付は使用できません。',
  },
  address: {
    en: 'This is no https address.',
    de: 'Das ist keine https-Adresse.',
    tr: 'Bu bir https adresi değil.',
    ja: 'https のアドレスではありません。',
  },
  domain: {
    en: 'This is no domain, such as example.com.',
    de: 'Das ist keine Domain wie example.com.',
    tr: 'Bu, example.com gibi bir alan adı değil.',
    ja: 'example.com のようなドメインではありません。',
  },
  whole: {
    en: 'Whole numbers only.',
    de: 'Nur ganze Zahlen.',
    tr: 'Yalnızca tam sayı.',
    ja: '整数で入力してください。',
  },
  number: {
    en: 'This is no number.',
    de: 'Das ist keine Zahl.',
    tr: 'Bu bir sayı değil.',
    ja: '数値で入力してください。',
  },
  oneLine: {
    en: 'One line only.',
    de: 'Nur eine Zeile.',
    tr: 'Yalnızca tek satır.',
    ja: '1 行で入力してください。',
  },
  letters: {
    en: 'One to five letters, A to Z.',
    de: 'Ein bis fünf Buchstaben von A bis Z.',
    tr: 'A’dan Z’ye bir ila beş harf.',
    ja: 'A から Z の 1 ～ 5 文字です。',
  },
});
const FAULTS: readonly (readonly [keyof typeof faults, RegExp])[] = [
  ['empty', /^(is required|must not be empty)/],
  ['tooLong', /^must have at most (\d+) characters$/],
  ['tooMuch', /^must (?:have|be) at most ([\d.]+)/],
  ['tooLittle', /^must (?:have|be) at least ([\d.]+)/],
  ['email', /^must be an e-mail/],
  ['date', /^must be (a date|a day|\d{4}-\d\d-\d\d or later)/],
  ['address', /^must be an https? (or https )?URL/],
  ['domain', /^must be a host or an origin/],
  ['whole', /^must be a whole number/],
  ['number', /^must be a number/],
  ['oneLine', /^must be one line/],
  ['letters', /^must be one to five letters/],
];

type Name = keyof typeof sentences;

/** Where the service's own words say no more, or nothing to a person. */
export const SUFFICIENT: readonly Name[] = [
  'default_board',
  'last_owner',
  'user_disabled',
  'own_work',
  'nobody_asks',
  'asked_anew',
  'filter',
  'boardColumnId',
  'current',
  'API_KEY_INVALID',
  'other',
];
/** Fields, and filters by them, whose faults have a sentence of their own. */
const FIELDS: Readonly<Record<string, Name>> = {
  parentId: 'parentId',
  dependsOn: 'dependsOn',
  boardColumnId: 'boardColumnId',
  epic: 'filter',
  label: 'filter',
};

/** A refusal in the language of the page. */
export interface Sentence {
  readonly text: string;
  readonly isSufficient: boolean;
}

/** What of an error (service-error.ts) says which sentence it is. */
interface Refused {
  readonly code: string;
  readonly reason: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly current: unknown;
}

/**
 * @param fault the one of them that is shown beside its field
 * @returns undefined: the service's own words are in the language of the page
 */
export function sentenceFor({ code, reason, details, current }: Refused, fault = ''): Sentence | undefined {
  for (const [name, pattern] of FAULTS) {
    const [found, n] = pattern.exec(fault) ?? [];
    const said = faults[name];
    if (found) return { text: typeof said === 'string' ? said : said({ n: Number(n) }), isSufficient: true };
  }
  const field = details.map(({ path }) => FIELDS[path.replace(/(Not)?(\..*)?$/, '')]).find(Boolean);
  const isStale = code === 'CONFLICT' && current !== undefined;
  // A later service may have reasons that this page does not know.
  const isTaken = fault.startsWith('must be unique');
  const known = [reason, isTaken && 'taken', field, isStale && 'current', code].find(
    (each) => each && each in sentences,
  );
  const name = (known || 'other') as Name;
  const text = sentences[name];
  return text ? { text, isSufficient: SUFFICIENT.includes(name) } : undefined;
}
