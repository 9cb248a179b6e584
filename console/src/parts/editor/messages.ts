import { messages } from '../../language/messages.ts';

export const words = messages({
  modes: { en: 'Write or preview', de: 'Schreiben oder Vorschau', tr: 'Yaz veya önizle', ja: '編集とプレビュー' },
  write: { en: 'Write', de: 'Schreiben', tr: 'Yaz', ja: '編集' },
  preview: { en: 'Preview', de: 'Vorschau', tr: 'Önizleme', ja: 'プレビュー' },
  nothing: {
    en: 'There is nothing to preview.',
    de: 'Es gibt nichts anzuzeigen.',
    tr: 'Önizlenecek bir şey yok.',
    ja: 'プレビューする内容がありません。',
  },
  format: { en: 'Formatting', de: 'Formatierung', tr: 'Biçimlendirme', ja: '書式' },
  heading: { en: 'Heading', de: 'Überschrift', tr: 'Başlık', ja: '見出し' },
  bold: { en: 'Bold', de: 'Fett', tr: 'Kalın', ja: '太字' },
  italic: { en: 'Italic', de: 'Kursiv', tr: 'İtalik', ja: '斜体' },
  code: { en: 'Code', de: 'Code', tr: 'Kod', ja: 'コード' },
  link: { en: 'Link', de: 'Link', tr: 'Bağlantı', ja: 'リンク' },
  quote: { en: 'Quote', de: 'Zitat', tr: 'Alıntı', ja: '引用' },
  bullets: { en: 'Bulleted list', de: 'Aufzählung', tr: 'Madde işaretli liste', ja: '箇条書き' },
  numbers: { en: 'Numbered list', de: 'Nummerierte Liste', tr: 'Numaralı liste', ja: '番号付きリスト' },
  tasks: { en: 'Task list', de: 'Aufgabenliste', tr: 'Görev listesi', ja: 'タスクリスト' },
  mention: { en: 'Mention somebody', de: 'Jemanden erwähnen', tr: 'Birinden bahset', ja: 'メンション' },
  table: { en: 'Table', de: 'Tabelle', tr: 'Tablo', ja: '表' },
  attach: { en: 'Insert a file', de: 'Datei einfügen', tr: 'Dosya ekle', ja: 'ファイルを挿入' },
  uploading: {
    en: 'Uploading {name} …',
    de: '{name} wird hochgeladen …',
    tr: '{name} yükleniyor…',
    ja: '{name} をアップロード中…',
  },
  notStored: {
    en: '{name} was not stored.',
    de: '{name} wurde nicht gespeichert.',
    tr: '{name} kaydedilmedi.',
    ja: '{name} を保存できませんでした。',
  },
});
