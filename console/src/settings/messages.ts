import { messages } from '../language/messages.ts';

/** What several sections say. */
export const words = messages({
  sections: { en: 'Sections', de: 'Abschnitte', tr: 'Bölümler', ja: 'セクション' },
  keys: { en: 'API keys', de: 'API-Schlüssel', tr: 'API anahtarları', ja: 'API キー' },
  users: { en: 'Users', de: 'Benutzer', tr: 'Kullanıcılar', ja: 'ユーザー' },
  roles: { en: 'Roles', de: 'Rollen', tr: 'Roller', ja: 'ロール' },
  sessions: { en: 'Sessions', de: 'Sitzungen', tr: 'Oturumlar', ja: 'セッション' },
  apps: { en: 'Connected apps', de: 'Verbundene Apps', tr: 'Bağlı uygulamalar', ja: '接続済みアプリ' },
  trust: { en: 'Trust for CI', de: 'Vertrauen für CI', tr: 'CI güveni', ja: 'CI の信頼' },
  sources: { en: 'Feedback sources', de: 'Feedback-Quellen', tr: 'Geri bildirim', ja: 'フィードバック' },
  webhooks: { en: 'Webhooks', de: 'Webhooks', tr: 'Webhook’lar', ja: 'Webhook' },
  health: { en: 'Health', de: 'Zustand', tr: 'Durum', ja: '稼働状況' },
  audit: { en: 'Audit log', de: 'Prüfprotokoll', tr: 'Denetim kaydı', ja: '監査ログ' },
  nothingHere: {
    en: 'There is nothing here, or your session is not allowed to see it.',
    de: 'Hier gibt es nichts, oder deine Sitzung darf es nicht sehen.',
    tr: 'Burada bir şey yok ya da oturumunuzun görme izni yok.',
    ja: 'ここには何もないか、表示する権限がありません。',
  },
  created: { en: 'Created', de: 'Angelegt', tr: 'Oluşturuldu', ja: '作成' },
  lastUsed: { en: 'Last used', de: 'Zuletzt benutzt', tr: 'Son kullanım', ja: '最終使用' },
  neverUsed: { en: 'Never used', de: 'Nie benutzt', tr: 'Hiç kullanılmadı', ja: '未使用' },
  notChanged: {
    en: 'Nothing was changed.',
    de: 'Nichts wurde geändert.',
    tr: 'Hiçbir şey değişmedi.',
    ja: '変更されませんでした。',
  },
  name: { en: 'Name', de: 'Name', tr: 'Ad', ja: '名前' },
  create: { en: 'Create', de: 'Anlegen', tr: 'Oluştur', ja: '作成' },
  project: { en: 'Project', de: 'Projekt', tr: 'Proje', ja: 'プロジェクト' },
  allProjects: { en: 'All projects', de: 'Alle Projekte', tr: 'Tüm projeler', ja: 'すべてのプロジェクト' },
  onlyProjects: {
    en: 'Only in these projects (none: in all)',
    de: 'Nur in diesen Projekten (keines: in allen)',
    tr: 'Yalnızca bu projelerde (hiçbiri: hepsinde)',
    ja: '次のプロジェクトのみ（選ばない場合はすべて）',
  },
  inProjects: {
    en: { one: 'In {n} project', other: 'In {n} projects' },
    de: { one: 'In {n} Projekt', other: 'In {n} Projekten' },
    tr: { other: '{n} projede' },
    ja: { other: '{n} 件のプロジェクト' },
  },
  onlyIn: { en: 'Only in {projects}', de: 'Nur in {projects}', tr: 'Yalnızca {projects}', ja: '{projects} のみ' },
  deletedProject: { en: 'deleted project', de: 'gelöschtem Projekt', tr: 'silinmiş proje', ja: '削除済みプロジェクト' },
  /** Between names. */
  comma: { en: ', ', de: ', ', tr: ', ', ja: '、' },
  shownOnce: {
    en: 'This is shown only once and stored nowhere. Copy it now.',
    de: 'Das wird nur jetzt gezeigt und nirgends gespeichert. Kopiere es jetzt.',
    tr: 'Bu yalnızca bir kez gösterilir ve hiçbir yerde saklanmaz. Şimdi kopyalayın.',
    ja: 'これは一度だけ表示され、どこにも保存されません。今すぐコピーしてください。',
  },
});
