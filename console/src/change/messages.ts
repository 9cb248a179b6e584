import { messages } from '../language/messages.ts';

export const words = messages({
  anywayTitle: { en: 'Do it anyway?', de: 'Trotzdem tun?', tr: 'Yine de yapılsın mı?', ja: 'それでも実行しますか？' },
  anyway: { en: 'Do it anyway', de: 'Trotzdem tun', tr: 'Yine de yap', ja: 'それでも実行する' },
  moveAnyway: { en: 'Move anyway', de: 'Trotzdem verschieben', tr: 'Yine de taşı', ja: 'それでも移動する' },
  changed: {
    en: '{what} changed.',
    de: '{what} geändert.',
    tr: '{what} değiştirildi.',
    ja: '{what} を変更しました。',
  },
  moved: {
    en: '{what} moved to {column}.',
    de: '{what} nach {column} verschoben.',
    tr: '{what}, {column} sütununa taşındı.',
    ja: '{what} を {column} に移動しました。',
  },
  nItems: {
    en: { one: '{n} work item', other: '{n} work items' },
    de: { one: '{n} Arbeitselement', other: '{n} Arbeitselemente' },
    tr: { other: '{n} iş öğesi' },
    ja: { other: '{n} 件の作業項目' },
  },
  duplicated: {
    en: '{copy} is a copy of {taskId}.',
    de: '{copy} ist eine Kopie von {taskId}.',
    tr: '{copy}, {taskId} kopyasıdır.',
    ja: '{taskId} を {copy} に複製しました。',
  },
  deleted: { en: '{what} deleted.', de: '{what} gelöscht.', tr: '{what} silindi.', ja: '{what} を削除しました。' },
  deleteText: {
    en: 'Comments and attachments go with it. Sub-items stay, without a parent. This cannot be undone.',
    de: 'Kommentare und Anhänge gehen verloren. Untergeordnetes bleibt, ohne Übergeordnetes. Das lässt sich nicht rückgängig machen.',
    tr: 'Yorumlar ve ekler de silinir. Alt öğeler üst öğesiz kalır. Bu geri alınamaz.',
    ja: 'コメントと添付ファイルも削除されます。子項目は親なしで残ります。この操作は元に戻せません。',
  },
  notChanged: {
    en: 'Not changed: {what}.',
    de: 'Nicht geändert: {what}.',
    tr: '{what} değiştirilmedi.',
    ja: '{what} は変更されませんでした。',
  },
  notMoved: {
    en: 'Not moved: {what}.',
    de: 'Nicht verschoben: {what}.',
    tr: '{what} taşınmadı.',
    ja: '{what} は移動されませんでした。',
  },
  notDeleted: {
    en: 'Not deleted: {what}.',
    de: 'Nicht gelöscht: {what}.',
    tr: '{what} silinmedi.',
    ja: '{what} は削除されませんでした。',
  },
  overtaken: {
    en: 'Somebody else has changed {what} in the meantime, and their change stays.',
    de: 'Inzwischen hat jemand anderes {what} geändert; diese Änderung bleibt.',
    tr: 'Bu arada başka biri {what} üzerinde değişiklik yaptı; o değişiklik kalıyor.',
    ja: '他の人が先に {what} を変更したため、その変更を残しました。',
  },
  understood: { en: 'Got it', de: 'Verstanden', tr: 'Anladım', ja: '了解' },
});
