import { messages } from '../language/messages.ts';

export const words = messages({
  title: { en: 'Sign in', de: 'Anmelden', tr: 'Oturum aç', ja: 'サインイン' },
  ended: {
    en: 'Your session has ended. Sign in again to continue where you were.',
    de: 'Deine Sitzung ist zu Ende. Melde dich wieder an, um hier weiterzumachen.',
    tr: 'Oturumunuz sona erdi. Kaldığınız yerden sürdürmek için yeniden oturum açın.',
    ja: 'セッションが終了しました。続けるには再度サインインしてください。',
  },
  byCode: {
    en: 'Signing in with the link…',
    de: 'Anmeldung mit dem Link …',
    tr: 'Bağlantıyla oturum açılıyor…',
    ja: 'リンクでサインインしています…',
  },
  signedInAs: {
    en: 'You are signed in as {name} of {organization}.',
    de: 'Du bist angemeldet als {name} von {organization}.',
    tr: '{name} ({organization}) olarak oturumunuz açık.',
    ja: '{organization} の {name} としてサインインしました。',
  },
  instead: {
    en: 'You are signed in as {name}. The link signs in whoever it was made for, instead: use it only if you know who made it.',
    de: 'Du bist angemeldet als {name}. Der Link meldet stattdessen an, für wen er gemacht ist: Nutze ihn nur, wenn du weißt, von wem er kommt.',
    tr: '{name} olarak oturumunuz açık. Bağlantı bunun yerine kimin için yapıldıysa onun oturumunu açar: yalnızca kimin yaptığını biliyorsanız kullanın.',
    ja: '{name} としてサインインしています。リンクを使うと、代わりにリンクの対象のユーザーになります。発行した人がわかる場合だけ使ってください。',
  },
  stay: {
    en: 'Stay signed in',
    de: 'Angemeldet bleiben',
    tr: 'Oturumda kal',
    ja: 'このまま使う',
  },
  codeRefused: {
    en: 'This link no longer works: it can be used once, within 10 minutes.',
    de: 'Der Link meldet nicht mehr an: Er gilt einmal, zehn Minuten lang.',
    tr: 'Bağlantı artık geçerli değil: bir kez ve 10 dakika için geçerlidir.',
    ja: 'このリンクはもう使えません。リンクは 10 分間、一度だけ有効です。',
  },
  anotherLink: {
    en: '“worktrack login-link” prints another one.',
    de: '„worktrack login-link“ gibt einen neuen aus.',
    tr: '“worktrack login-link” yeni bir bağlantı verir.',
    ja: '「worktrack login-link」で新しいリンクを発行できます。',
  },
  used: {
    en: 'This invitation has been used: its link works once.',
    de: 'Diese Einladung ist schon benutzt: Ihr Link gilt einmal.',
    tr: 'Bu davet kullanılmış: bağlantısı bir kez geçerlidir.',
    ja: 'この招待は使用済みです。リンクは一度だけ有効です。',
  },
  expired: {
    en: 'This invitation has ended.',
    de: 'Diese Einladung gilt nicht mehr.',
    tr: 'Bu davetin süresi doldu.',
    ja: 'この招待は有効期限が切れました。',
  },
  replaced: {
    en: 'There is a newer invitation. Open the link that came last.',
    de: 'Es gibt eine neuere Einladung. Öffne den Link, der zuletzt kam.',
    tr: 'Daha yeni bir davet var. Son gelen bağlantıyı açın.',
    ja: '新しい招待があります。最後に届いたリンクを開いてください。',
  },
  withdrawn: {
    en: 'This invitation was withdrawn.',
    de: 'Diese Einladung wurde zurückgezogen.',
    tr: 'Bu davet geri çekildi.',
    ja: 'この招待は取り消されました。',
  },
  askAnother: {
    en: 'Ask whoever invited you for another one.',
    de: 'Bitte um eine neue, wer dich eingeladen hat.',
    tr: 'Sizi davet eden kişiden yenisini isteyin.',
    ja: '招待した人に新しい招待を依頼してください。',
  },
  byLink: {
    en: 'A link signs you in with one click: owners and admins can send you one, “worktrack login-link” prints one. Or paste an API key.',
    de: 'Ein Link meldet dich mit einem Klick an: Inhaber und Admins können dir einen schicken, „worktrack login-link“ gibt einen aus. Oder füge einen API-Schlüssel ein.',
    tr: 'Tek tıkla oturum açan bir bağlantıyı sahipler ve yöneticiler gönderebilir, “worktrack login-link” de verir. Ya da bir API anahtarı yapıştırın.',
    ja: 'リンクならワンクリックでサインインできます。オーナーか管理者に送ってもらうか、「worktrack login-link」で発行してください。API キーも使えます。',
  },
  key: { en: 'API key', de: 'API-Schlüssel', tr: 'API anahtarı', ja: 'API キー' },
  keyHelp: {
    en: 'It starts with wt_ and is not stored in the browser.',
    de: 'Er beginnt mit wt_ und wird nicht im Browser aufbewahrt.',
    tr: 'wt_ ile başlar ve tarayıcıda saklanmaz.',
    ja: 'wt_ で始まります。ブラウザーには保存されません。',
  },
  keyRefused: {
    en: 'You cannot sign in with this key.',
    de: 'Mit diesem Schlüssel kann man sich nicht anmelden.',
    tr: 'Bu anahtarla oturum açılamıyor.',
    ja: 'このキーではサインインできません。',
  },
});
