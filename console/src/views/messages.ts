import { messages } from '../language/messages.ts';

export const words = messages({
  filters: { en: 'Filters', de: 'Filter', tr: 'Süzgeçler', ja: '絞り込み' },
  search: { en: 'Search', de: 'Suche', tr: 'Ara', ja: '検索' },
  boardChoice: { en: 'Board', de: 'Board', tr: 'Pano', ja: 'ボード' },
  allBoards: { en: 'All boards', de: 'Alle Boards', tr: 'Tüm panolar', ja: 'すべてのボード' },
  clearFilters: { en: 'Clear filters', de: 'Filter löschen', tr: 'Süzgeçleri temizle', ja: '条件をクリア' },
  noMatches: {
    en: 'No card matches the filters.',
    de: 'Keine Karte entspricht den Filtern.',
    tr: 'Süzgeçlere uyan kart yok.',
    ja: '条件に一致するカードはありません。',
  },
  openWhole: { en: 'Open the item whole', de: 'Element ganz öffnen', tr: 'Öğeyi tam aç', ja: '項目を全画面で開く' },
  layout: { en: 'Layout', de: 'Ansicht', tr: 'Düzen', ja: 'レイアウト' },
  board: { en: 'Board', de: 'Board', tr: 'Pano', ja: 'ボード' },
  list: { en: 'List', de: 'Liste', tr: 'Liste', ja: 'リスト' },
});
