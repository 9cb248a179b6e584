import { messages } from '../language/messages.ts';

export const words = messages({
  title: { en: 'Go to or do', de: 'Gehe zu oder tue', tr: 'Git veya yap', ja: '移動と操作' },
  field: {
    en: 'ID, words or command',
    de: 'ID, Wörter oder Befehl',
    tr: 'Kimlik, sözcük veya komut',
    ja: 'ID、語句、コマンド',
  },
  hint: {
    en: 'Arrows choose, Enter opens, Escape closes.',
    de: 'Pfeile wählen, Enter öffnet, Escape schließt.',
    tr: 'Oklar seçer, Enter açar, Escape kapatır.',
    ja: '矢印キーで選択、Enter で開く、Escape で閉じる。',
  },
  nothing: {
    en: 'Nothing is called that.',
    de: 'So heißt nichts.',
    tr: 'Bu adda bir şey yok.',
    ja: '該当するものはありません。',
  },
});
