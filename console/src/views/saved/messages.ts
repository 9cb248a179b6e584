import { messages } from '../../language/messages.ts';

/** Of saved views. */
export const words = messages({
  saveView: { en: 'Save view', de: 'Ansicht speichern', tr: 'Görünümü kaydet', ja: 'ビューを保存' },
  viewOf: { en: 'View {name}', de: 'Ansicht {name}', tr: '{name} görünümü', ja: 'ビュー {name}' },
  viewOfChanged: {
    en: 'View {name}, changed here',
    de: 'Ansicht {name}, hier geändert',
    tr: '{name} görünümü, burada değiştirildi',
    ja: 'ビュー {name}（変更あり）',
  },
  saveChanges: { en: 'Save changes', de: 'Änderungen speichern', tr: 'Değişiklikleri kaydet', ja: '変更を保存' },
  undoChanges: { en: 'Discard changes', de: 'Änderungen verwerfen', tr: 'Değişiklikleri bırak', ja: '変更を破棄' },
  saveAsNew: {
    en: 'Save as a new view',
    de: 'Als neue Ansicht speichern',
    tr: 'Yeni görünüm olarak kaydet',
    ja: '新しいビューとして保存',
  },
  rename: { en: 'Rename', de: 'Umbenennen', tr: 'Yeniden adlandır', ja: '名前を変更' },
  share: { en: 'Share with everybody', de: 'Mit allen teilen', tr: 'Herkesle paylaş', ja: '全員と共有' },
  unshare: { en: 'Keep to yourself', de: 'Nicht mehr teilen', tr: 'Yalnızca kendine sakla', ja: '共有をやめる' },
  /** Of another user: it becomes theirs alone. */
  unshareOther: {
    en: 'Leave to its owner alone',
    de: 'Nur noch dem Besitzer zeigen',
    tr: 'Yalnızca sahibine bırak',
    ja: '所有者のみに表示',
  },
  viewName: { en: 'Name', de: 'Name', tr: 'Ad', ja: '名前' },
  shared: {
    en: 'For everybody who sees the project',
    de: 'Für alle, die das Projekt sehen',
    tr: 'Projeyi gören herkes için',
    ja: 'プロジェクトを閲覧できる全員に公開',
  },
  viewSaved: {
    en: '{name} saved.',
    de: '{name} gespeichert.',
    tr: '{name} kaydedildi.',
    ja: '{name} を保存しました。',
  },
  viewDeleted: { en: '{name} deleted.', de: '{name} gelöscht.', tr: '{name} silindi.', ja: '{name} を削除しました。' },
  viewNotSaved: {
    en: 'The view is as it was.',
    de: 'Die Ansicht ist, wie sie war.',
    tr: 'Görünüm olduğu gibi kaldı.',
    ja: 'ビューは変更されていません。',
  },
  noView: {
    en: 'There is no such view, or it is no longer shared with you.',
    de: 'Diese Ansicht gibt es nicht, oder sie ist nicht mehr mit dir geteilt.',
    tr: 'Böyle bir görünüm yok ya da artık sizinle paylaşılmıyor.',
    ja: 'このビューは存在しないか、共有されていません。',
  },
});
