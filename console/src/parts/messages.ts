import { messages } from '../language/messages.ts';

/** What several screens say. */
export const words = messages({
  loading: { en: 'Loading…', de: 'Wird geladen …', tr: 'Yükleniyor…', ja: '読み込み中…' },
  failed: {
    en: 'This could not be loaded.',
    de: 'Das konnte nicht geladen werden.',
    tr: 'Bu yüklenemedi.',
    ja: '読み込めませんでした。',
  },
  noAnswer: {
    en: 'The server is not responding. Check the connection.',
    de: 'Der Server antwortet nicht. Prüfe die Verbindung.',
    tr: 'Sunucu yanıt vermiyor. Bağlantıyı denetleyin.',
    ja: 'サーバーが応答しません。接続を確認してください。',
  },
  requestId: {
    en: 'Request {id}',
    de: 'Anfrage {id}',
    tr: 'İstek {id}',
    ja: 'リクエスト {id}',
  },
  retry: { en: 'Try again', de: 'Erneut versuchen', tr: 'Yeniden dene', ja: '再試行' },
  more: { en: 'Show more', de: 'Mehr zeigen', tr: 'Daha fazla göster', ja: 'さらに表示' },
  close: { en: 'Close', de: 'Schließen', tr: 'Kapat', ja: '閉じる' },
  cancel: { en: 'Cancel', de: 'Abbrechen', tr: 'Vazgeç', ja: 'キャンセル' },
  save: { en: 'Save', de: 'Speichern', tr: 'Kaydet', ja: '保存' },
  edit: { en: 'Edit', de: 'Bearbeiten', tr: 'Düzenle', ja: '編集' },
  delete: { en: 'Delete', de: 'Löschen', tr: 'Sil', ja: '削除' },
  dismiss: { en: 'Dismiss', de: 'Ausblenden', tr: 'Kapat', ja: '閉じる' },
  notifications: { en: 'Notifications', de: 'Meldungen', tr: 'Bildirimler', ja: '通知' },
  keyboard: {
    en: 'Keyboard shortcuts',
    de: 'Tastenkürzel',
    tr: 'Klavye kısayolları',
    ja: 'キーボードショートカット',
  },
  thisHelp: { en: 'Show this help', de: 'Diese Hilfe zeigen', tr: 'Bu yardımı göster', ja: 'このヘルプを表示' },
  idOrWords: {
    en: 'Task ID or words',
    de: 'Aufgaben-ID oder Wörter',
    tr: 'Görev kimliği veya sözcükler',
    ja: 'タスク ID または語句',
  },
  remove: { en: 'Remove {what}', de: '{what} entfernen', tr: '{what} ögesini kaldır', ja: '{what} を外す' },
  project: { en: 'Project', de: 'Projekt', tr: 'Proje', ja: 'プロジェクト' },
  copy: { en: 'Copy', de: 'Kopieren', tr: 'Kopyala', ja: 'コピー' },
  copied: { en: 'Copied', de: 'Kopiert', tr: 'Kopyalandı', ja: 'コピーしました' },
  lostSecret: {
    en: 'It was created, but the response that would have shown it was lost. Create another one and remove this one.',
    de: 'Es wurde angelegt, aber die Antwort, die es zeigte, ging verloren. Lege ein neues an und entferne dieses.',
    tr: 'Oluşturuldu, ama onu gösteren yanıt kayboldu. Yenisini oluşturun ve bunu kaldırın.',
    ja: '作成されましたが、内容を示す応答が失われました。新しく作成し、これは取り消してください。',
  },
});
