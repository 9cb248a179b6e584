import { messages } from '../language/messages.ts';

export const words = messages({
  noProject: {
    en: 'There is no project yet. Create one on the board first.',
    de: 'Es gibt noch kein Projekt. Lege zuerst auf dem Board eins an.',
    tr: 'Henüz proje yok. Önce panoda bir proje oluşturun.',
    ja: 'まだプロジェクトがありません。先にボードで作成してください。',
  },
  title: { en: 'Title', de: 'Titel', tr: 'Başlık', ja: 'タイトル' },
  description: { en: 'Description', de: 'Beschreibung', tr: 'Açıklama', ja: '説明' },
  project: { en: 'Project', de: 'Projekt', tr: 'Proje', ja: 'プロジェクト' },
  type: { en: 'Type', de: 'Typ', tr: 'Tür', ja: '種類' },
  column: { en: 'Column', de: 'Spalte', tr: 'Sütun', ja: '列' },
  priority: { en: 'Priority', de: 'Priorität', tr: 'Öncelik', ja: '優先度' },
  parent: { en: 'Parent', de: 'Übergeordnet', tr: 'Üst öğe', ja: '親' },
  dependsOn: { en: 'Depends on', de: 'Hängt ab von', tr: 'Bağlı olduğu', ja: '依存先' },
  create: { en: 'Create', de: 'Anlegen', tr: 'Oluştur', ja: '作成' },
  created: {
    en: '{taskId} created.',
    de: '{taskId} angelegt.',
    tr: '{taskId} oluşturuldu.',
    ja: '{taskId} を作成しました。',
  },
  open: { en: 'Open', de: 'Öffnen', tr: 'Aç', ja: '開く' },
});
