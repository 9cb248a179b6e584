import { messages } from '../../language/messages.ts';

export const words = messages({
  selection: { en: 'Selection', de: 'Auswahl', tr: 'Seçim', ja: '選択' },
  selected: {
    en: '{n} selected',
    de: '{n} ausgewählt',
    tr: '{n} seçili',
    ja: '{n} 件を選択中',
  },
  selectNothing: { en: 'Clear selection', de: 'Auswahl aufheben', tr: 'Seçimi temizle', ja: '選択をすべて解除' },
  moveAll: { en: 'Move', de: 'Verschieben', tr: 'Taşı', ja: '移動' },
  assign: { en: 'Assign', de: 'Zuweisen', tr: 'Ata', ja: '担当者を設定' },
  addLabel: { en: 'Add', de: 'Hinzufügen', tr: 'Ekle', ja: '追加' },
  removeLabel: { en: 'Remove', de: 'Entfernen', tr: 'Kaldır', ja: '削除' },
});
