import { messages } from '../../language/messages.ts';

/** Of the lanes of a board. */
export const words = messages({
  lanes: { en: 'Lanes', de: 'Bahnen', tr: 'Kulvarlar', ja: 'レーン' },
  none: { en: 'None', de: 'Keine', tr: 'Yok', ja: 'なし' },
  onlySome: {
    en: { other: 'Only the first {n} lanes are shown. Filters show others.' },
    de: { other: 'Nur die ersten {n} Bahnen werden gezeigt. Filter zeigen andere.' },
    tr: { other: 'Yalnızca ilk {n} kulvar gösteriliyor. Süzgeçler diğerlerini gösterir.' },
    ja: { other: '最初の {n} レーンのみ表示しています。絞り込みでほかも表示できます。' },
  },
  moved: {
    en: '{taskId} moved to {lane}, {column}.',
    de: '{taskId} ist jetzt in {lane}, {column}.',
    tr: '{taskId} taşındı: {lane}, {column}.',
    ja: '{taskId} を {lane}、{column} に移動しました。',
  },
});
