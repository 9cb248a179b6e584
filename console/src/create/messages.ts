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
  parent: { en: 'Parent', de: 'Übergeordnet', tr: 'Üst öğe', ja: '親' },
  dependsOn: { en: 'Depends on', de: 'Hängt ab von', tr: 'Bağlı olduğu', ja: '依存先' },
  splitByLines: { en: 'Split by lines', de: 'Nach Zeilen teilen', tr: 'Satırlara böl', ja: '行ごとに分割' },
  lines: { en: 'Sub-items', de: 'Unterelemente', tr: 'Alt öğeler', ja: '子項目' },
  linesHelp: {
    en: 'Each line becomes one, up to {n}.',
    de: 'Jede Zeile wird eines, bis zu {n}.',
    tr: 'Her satır bir öğe olur, en çok {n}.',
    ja: '1 行が 1 件になります（最大 {n} 件）。',
  },
  inThisOrder: {
    en: 'Each depends on the one before',
    de: 'Jedes hängt vom vorigen ab',
    tr: 'Her biri bir öncekine bağlı',
    ja: 'それぞれが前の項目に依存する',
  },
  add: {
    en: { one: 'Create {n}', other: 'Create {n}' },
    de: { one: '{n} anlegen', other: '{n} anlegen' },
    tr: { one: '{n} öğe oluştur', other: '{n} öğe oluştur' },
    ja: { other: '{n} 件を作成' },
  },
  added: {
    en: { one: '{n} sub-item created.', other: '{n} sub-items created.' },
    de: { one: '{n} Unterelement angelegt.', other: '{n} Unterelemente angelegt.' },
    tr: { one: '{n} alt öğe oluşturuldu.', other: '{n} alt öğe oluşturuldu.' },
    ja: { other: '{n} 件の子項目を作成しました。' },
  },
  template: { en: 'Template', de: 'Vorlage', tr: 'Şablon', ja: 'テンプレート' },
  noTemplate: { en: 'None', de: 'Keine', tr: 'Yok', ja: 'なし' },
  createdWith: {
    en: { one: '{taskId} and {n} sub-item created.', other: '{taskId} and {n} sub-items created.' },
    de: { one: '{taskId} und {n} Unterelement angelegt.', other: '{taskId} und {n} Unterelemente angelegt.' },
    tr: { other: '{taskId} ve {n} alt öğe oluşturuldu.' },
    ja: { other: '{taskId} と {n} 件の子項目を作成しました。' },
  },
  create: { en: 'Create', de: 'Anlegen', tr: 'Oluştur', ja: '作成' },
  created: {
    en: '{taskId} created.',
    de: '{taskId} angelegt.',
    tr: '{taskId} oluşturuldu.',
    ja: '{taskId} を作成しました。',
  },
});
