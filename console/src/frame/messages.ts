import { messages } from '../language/messages.ts';

export const words = messages({
  board: { en: 'Board', de: 'Board', tr: 'Pano', ja: 'ボード' },
  plan: { en: 'Plan', de: 'Plan', tr: 'Plan', ja: '計画' },
  agents: { en: 'Agents', de: 'Agenten', tr: 'Ajanlar', ja: 'エージェント' },
  inbox: { en: 'Inbox', de: 'Eingang', tr: 'Gelen kutusu', ja: '受信箱' },
  costs: { en: 'Costs', de: 'Kosten', tr: 'Maliyetler', ja: '費用' },
  settings: { en: 'Settings', de: 'Einstellungen', tr: 'Ayarlar', ja: '設定' },
  screens: { en: 'Screens', de: 'Ansichten', tr: 'Ekranlar', ja: '画面' },
  toContent: { en: 'Skip to content', de: 'Zum Inhalt', tr: 'İçeriğe geç', ja: '本文へ' },
  appearance: { en: 'Appearance', de: 'Darstellung', tr: 'Görünüm', ja: '外観' },
  system: { en: 'Same as system', de: 'Wie das System', tr: 'Sistem gibi', ja: 'システムに合わせる' },
  light: { en: 'Light', de: 'Hell', tr: 'Açık', ja: 'ライト' },
  dark: { en: 'Dark', de: 'Dunkel', tr: 'Koyu', ja: 'ダーク' },
  language: { en: 'Language', de: 'Sprache', tr: 'Dil', ja: '言語' },
  account: { en: 'Account of {name}', de: 'Konto von {name}', tr: '{name} hesabı', ja: '{name} のアカウント' },
  signOut: { en: 'Sign out', de: 'Abmelden', tr: 'Oturumu kapat', ja: 'サインアウト' },
  notSignedOut: {
    en: 'You are still signed in.',
    de: 'Du bist noch angemeldet.',
    tr: 'Oturumunuz hâlâ açık.',
    ja: 'まだサインインしたままです。',
  },
  disconnected: {
    en: 'Disconnected since {time}. What you see may be out of date.',
    de: 'Seit {time} keine Verbindung. Was du siehst, kann veraltet sein.',
    tr: '{time} itibarıyla bağlantı yok. Gördükleriniz eski olabilir.',
    ja: '{time} から切断されています。表示内容は古い可能性があります。',
  },
  notFound: {
    en: 'There is nothing at this address.',
    de: 'An dieser Adresse gibt es nichts.',
    tr: 'Bu adreste bir şey yok.',
    ja: 'このアドレスには何もありません。',
  },
  notAllowed: {
    en: 'Your session lacks the permission {permission}.',
    de: 'Deiner Sitzung fehlt die Berechtigung {permission}.',
    tr: 'Oturumunuzda {permission} izni yok.',
    ja: 'このセッションには {permission} の権限がありません。',
  },
  anew: { en: 'Reload the page', de: 'Seite neu laden', tr: 'Sayfayı yeniden yükle', ja: 'ページを再読み込み' },
});
