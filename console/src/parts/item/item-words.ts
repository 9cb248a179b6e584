import { messages } from '../../language/messages.ts';

/** Types, priorities and states of work, as named on every screen. */
export const itemWords = messages({
  epic: { en: 'Epic', de: 'Epic', tr: 'Epik', ja: 'エピック' },
  feature: { en: 'Feature', de: 'Feature', tr: 'Özellik', ja: '機能' },
  story: { en: 'Story', de: 'Story', tr: 'Hikâye', ja: 'ストーリー' },
  task: { en: 'Task', de: 'Aufgabe', tr: 'Görev', ja: 'タスク' },
  idea: { en: 'Idea', de: 'Idee', tr: 'Fikir', ja: 'アイデア' },
  low: { en: 'Low', de: 'Niedrig', tr: 'Düşük', ja: '低' },
  medium: { en: 'Medium', de: 'Mittel', tr: 'Orta', ja: '中' },
  high: { en: 'High', de: 'Hoch', tr: 'Yüksek', ja: '高' },
  urgent: { en: 'Urgent', de: 'Dringend', tr: 'Acil', ja: '緊急' },
  priorityOf: {
    en: 'Priority: {priority}',
    de: 'Priorität: {priority}',
    tr: 'Öncelik: {priority}',
    ja: '優先度：{priority}',
  },
  working: { en: 'Working', de: 'In Arbeit', tr: 'Çalışıyor', ja: '作業中' },
  awaiting_input: { en: 'Awaiting input', de: 'Wartet auf Antwort', tr: 'Yanıt bekliyor', ja: '入力待ち' },
  stalled: { en: 'Stalled', de: 'Stockt', tr: 'Takıldı', ja: '停滞' },
});
