import { messages } from '../../language/messages.ts';

export const words = messages({
  help: {
    en: 'Browsers that are signed in. A session lasts 12 hours at most, and ends with its key or its user.',
    de: 'Angemeldete Browser. Eine Sitzung dauert höchstens 12 Stunden und endet mit ihrem Schlüssel oder Benutzer.',
    tr: 'Oturum açmış tarayıcılar. Bir oturum en fazla 12 saat sürer; anahtarı ya da kullanıcısıyla birlikte sona erer.',
    ja: 'サインイン中のブラウザです。セッションは最長 12 時間で、キーまたはユーザーとともに終了します。',
  },
  none: {
    en: 'Nobody is signed in.',
    de: 'Niemand ist angemeldet.',
    tr: 'Oturum açmış kimse yok.',
    ja: 'サインイン中の人はいません。',
  },
  showEnded: {
    en: 'Show sessions that have ended',
    de: 'Beendete Sitzungen zeigen',
    tr: 'Sona eren oturumları göster',
    ja: '終了したセッションも表示',
  },
  yours: { en: 'This browser', de: 'Dieser Browser', tr: 'Bu tarayıcı', ja: 'このブラウザ' },
  began: { en: 'Signed in', de: 'Angemeldet', tr: 'Oturum açıldı', ja: 'サインイン' },
  ends: { en: 'Ends {time}', de: 'Endet {time}', tr: 'Bitiş: {time}', ja: '終了: {time}' },
  byKey: { en: 'By key {name}', de: 'Mit Schlüssel {name}', tr: 'Anahtar: {name}', ja: 'キー: {name}' },
  end: { en: 'End', de: 'Beenden', tr: 'Sonlandır', ja: '終了' },
  endOf: {
    en: 'End the session of {name}',
    de: 'Sitzung von {name} beenden',
    tr: '{name} oturumunu sonlandır',
    ja: '{name} のセッションを終了',
  },
  endOwn: {
    en: 'This is the session of this browser: you will be signed out.',
    de: 'Das ist die Sitzung dieses Browsers: Du wirst abgemeldet.',
    tr: 'Bu, bu tarayıcının oturumu: oturumunuz kapanacak.',
    ja: 'このブラウザのセッションです。サインアウトされます。',
  },
  endOther: {
    en: '{name} has to sign in again in that browser.',
    de: '{name} muss sich in jenem Browser neu anmelden.',
    tr: '{name} o tarayıcıda yeniden oturum açmalı.',
    ja: '{name} はそのブラウザで再度サインインが必要になります。',
  },
  ended: {
    en: 'The session of {name} has ended.',
    de: 'Die Sitzung von {name} ist beendet.',
    tr: '{name} oturumu sona erdi.',
    ja: '{name} のセッションを終了しました。',
  },
});
