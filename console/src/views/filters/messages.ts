import { messages } from '../../language/messages.ts';
import { fieldWords, isChosen } from '../../parts/item/plain-fields.ts';
import type { Field } from './filters.ts';

/** What work is narrowed to: fields, values, and how. */
export const words = messages({
  addFilter: { en: 'Filter', de: 'Filtern', tr: 'Süz', ja: '絞り込む' },
  boardColumnId: { en: 'Column', de: 'Spalte', tr: 'Sütun', ja: '列' },
  type: { en: 'Type', de: 'Typ', tr: 'Tür', ja: '種類' },
  assignee: { en: 'Assignee', de: 'Zuständig', tr: 'Atanan', ja: '担当者' },
  leaseState: { en: 'Agent’s work', de: 'Arbeit des Agenten', tr: 'Ajanın çalışması', ja: 'エージェントの状態' },
  label: { en: 'Label', de: 'Etikett', tr: 'Etiket', ja: 'ラベル' },
  epic: { en: 'Epic', de: 'Epic', tr: 'Epik', ja: 'エピック' },
  isAnyOf: { en: 'is any of', de: 'ist eins von', tr: 'şunlardan biri', ja: 'いずれかである' },
  isNoneOf: { en: 'is none of', de: 'ist keins von', tr: 'şunların hiçbiri', ja: 'いずれでもない' },
  chip: { en: '{field}: {values}', de: '{field}: {values}', tr: '{field}: {values}', ja: '{field}：{values}' },
  chipNot: {
    en: '{field}: not {values}',
    de: '{field}: nicht {values}',
    tr: '{field}: {values} değil',
    ja: '{field}：{values} 以外',
  },
  /** Between alternatives. */
  or: { en: ', ', de: ', ', tr: ', ', ja: '、' },
  andMore: {
    en: '{values} and {n} more',
    de: '{values} und {n} weitere',
    tr: '{values} ve {n} tane daha',
    ja: '{values} ほか {n} 件',
  },
  find: { en: 'Find a value', de: 'Wert suchen', tr: 'Değer bul', ja: '値を検索' },
  me: { en: 'Me', de: 'Ich', tr: 'Ben', ja: '自分' },
  nobody: { en: 'Nobody', de: 'Niemand', tr: 'Hiç kimse', ja: '担当者なし' },
  noLabel: { en: 'No label', de: 'Ohne Etikett', tr: 'Etiketsiz', ja: 'ラベルなし' },
  noEpic: { en: 'No epic', de: 'Ohne Epic', tr: 'Epiksiz', ja: 'エピックなし' },
  noAgent: { en: 'No agent', de: 'Kein Agent', tr: 'Ajan yok', ja: 'エージェントなし' },
  deleted: { en: 'deleted', de: 'gelöscht', tr: 'silinmiş', ja: '削除済み' },
  overdue: { en: 'Overdue', de: 'Überfällig', tr: 'Gecikmiş', ja: '期限切れ' },
  notOverdue: { en: 'Not overdue', de: 'Nicht überfällig', tr: 'Gecikmemiş', ja: '期限切れ以外' },
  dueBefore: { en: 'Due before', de: 'Fällig vor', tr: 'Bitişi şundan önce', ja: '期限がこの日より前' },
  dueAfter: { en: 'Due after', de: 'Fällig nach', tr: 'Bitişi şundan sonra', ja: '期限がこの日より後' },
});

export const nameOfField = (field: Field): string => (isChosen(field) ? fieldWords[field] : words[field]);
