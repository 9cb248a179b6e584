import { messages } from '../language/messages.ts';

export const words = messages({
  title: { en: 'Notifications', de: 'Benachrichtigungen', tr: 'Bildirimler', ja: '通知' },
  none: {
    en: 'You were told of nothing. Watch an item to be told what happens to it.',
    de: 'Es gibt nichts Neues. Beobachte ein Element, um zu erfahren, was damit geschieht.',
    tr: 'Bildirim yok. Gelişmelerden haberdar olmak için bir öğeyi takip edin.',
    ja: '通知はありません。項目をウォッチすると、変更が通知されます。',
  },
  unread: { en: 'Unread', de: 'Ungelesen', tr: 'Okunmadı', ja: '未読' },
  markAll: {
    en: 'Mark all as read',
    de: 'Alle als gelesen markieren',
    tr: 'Tümünü okundu işaretle',
    ja: 'すべて既読にする',
  },
  notMarked: {
    en: 'Not marked as read.',
    de: 'Nicht als gelesen markiert.',
    tr: 'Okundu işaretlenmedi.',
    ja: '既読にできませんでした。',
  },
  told: { en: 'Tell me of', de: 'Benachrichtige mich über', tr: 'Bana bildir', ja: '通知する内容' },
  notChanged: { en: 'Not changed.', de: 'Nicht geändert.', tr: 'Değiştirilmedi.', ja: '変更できませんでした。' },
  mention: { en: 'Mentions of you', de: 'Erwähnungen von dir', tr: 'Sizden bahsedilmesi', ja: 'あなたへのメンション' },
  assigned: {
    en: 'What is assigned to you',
    de: 'Was dir zugewiesen wird',
    tr: 'Size atananlar',
    ja: 'あなたへの割り当て',
  },
  need: {
    en: 'Watched items that need somebody',
    de: 'Beobachtete Elemente, die jemanden brauchen',
    tr: 'Birini bekleyen takip edilen öğeler',
    ja: '対応が必要なウォッチ中の項目',
  },
  comment: {
    en: 'Comments on watched items',
    de: 'Kommentare zu beobachteten Elementen',
    tr: 'Takip edilen öğelere yorumlar',
    ja: 'ウォッチ中の項目へのコメント',
  },
  move: {
    en: 'Watched items that move',
    de: 'Beobachtete Elemente, die verschoben werden',
    tr: 'Taşınan takip edilen öğeler',
    ja: 'ウォッチ中の項目の移動',
  },
  change: {
    en: 'Other changes to watched items',
    de: 'Andere Änderungen an beobachteten Elementen',
    tr: 'Takip edilen öğelerdeki diğer değişiklikler',
    ja: 'ウォッチ中の項目のその他の変更',
  },
});
