import { messages } from '../../language/messages.ts';

export const words = messages({
  help: {
    en: 'Who changed who may do what, who was refused, and who read this log. It cannot be changed unseen.',
    de: 'Wer geändert hat, wer was darf, wer abgewiesen wurde und wer dieses Protokoll gelesen hat. Es lässt sich nicht unbemerkt ändern.',
    tr: 'Kimin neye izni olduğunu kim değiştirdi, kim reddedildi, bu kaydı kim okudu. Fark edilmeden değiştirilemez.',
    ja: '誰が権限を変更したか、誰が拒否されたか、誰がこのログを読んだか。気づかれずに書き換えることはできません。',
  },
  filters: { en: 'Filters', de: 'Filter', tr: 'Süzgeçler', ja: '絞り込み' },
  action: { en: 'Action', de: 'Vorgang', tr: 'İşlem', ja: '操作' },
  from: { en: 'From', de: 'Von', tr: 'Başlangıç', ja: '開始日' },
  to: { en: 'Before', de: 'Vor dem', tr: 'Bitiş (hariç)', ja: 'この日より前' },
  byActor: { en: 'Only by {name}', de: 'Nur von {name}', tr: 'Yalnızca {name}', ja: '{name} による操作のみ' },
  about: {
    en: 'Only about {name}',
    de: 'Nur über {name}',
    tr: 'Yalnızca {name} hakkında',
    ja: '{name} に関するもののみ',
  },
  clear: { en: 'Clear filters', de: 'Filter aufheben', tr: 'Süzgeçleri kaldır', ja: '絞り込みを解除' },
  none: {
    en: 'There is no entry like this.',
    de: 'Es gibt keinen solchen Eintrag.',
    tr: 'Böyle bir kayıt yok.',
    ja: '該当する記録はありません。',
  },
  denied: { en: 'Denied', de: 'Abgewiesen', tr: 'Reddedildi', ja: '拒否' },
  times: {
    en: { one: '{n} time', other: '{n} times' },
    de: { one: '{n}-mal', other: '{n}-mal' },
    tr: { one: '{n} kez', other: '{n} kez' },
    ja: { other: '{n} 回' },
  },
  system: { en: 'The service', de: 'Der Dienst', tr: 'Hizmet', ja: 'サービス' },
  erased: { en: 'erased', de: 'gelöscht', tr: 'silindi', ja: '消去済み' },
  nothing: { en: 'nothing', de: 'nichts', tr: 'boş', ja: 'なし' },
  key: { en: 'key', de: 'Schlüssel', tr: 'anahtar', ja: 'キー' },
  session: { en: 'session', de: 'Sitzung', tr: 'oturum', ja: 'セッション' },
  rule: { en: 'trust rule', de: 'Vertrauensregel', tr: 'güven kuralı', ja: '信頼ルール' },
  grant: { en: 'connected app', de: 'verbundene App', tr: 'bağlı uygulama', ja: '接続済みアプリ' },
  export: {
    en: 'To keep it: worktrack audit export. To check it: worktrack audit verify.',
    de: 'Zum Aufbewahren: worktrack audit export. Zum Prüfen: worktrack audit verify.',
    tr: 'Saklamak için: worktrack audit export. Doğrulamak için: worktrack audit verify.',
    ja: '保存: worktrack audit export、検証: worktrack audit verify。',
  },
});
