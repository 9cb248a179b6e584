import { messages } from '../../language/messages.ts';

export const words = messages({
  help: {
    en: 'How the installation is at this moment, as the gateway that answered finds it.',
    de: 'Wie es der Installation in diesem Moment geht, aus Sicht des Gateways, das geantwortet hat.',
    tr: 'Yanıt veren ağ geçidinin gördüğü kadarıyla kurulumun şu anki durumu.',
    ja: '応答したゲートウェイから見た、現在の稼働状況です。',
  },
  components: { en: 'Components', de: 'Bestandteile', tr: 'Bileşenler', ja: '構成要素' },
  component: { en: 'Component', de: 'Bestandteil', tr: 'Bileşen', ja: '構成要素' },
  state: { en: 'State', de: 'Zustand', tr: 'Durum', ja: '状態' },
  answersIn: { en: 'Answers within', de: 'Antwortet in', tr: 'Yanıt süresi', ja: '応答時間' },
  ok: { en: 'Works', de: 'In Ordnung', tr: 'Çalışıyor', ja: '正常' },
  degraded: { en: 'Degraded', de: 'Eingeschränkt', tr: 'Kısıtlı', ja: '縮退' },
  missing: { en: 'Missing', de: 'Fehlt', tr: 'Eksik', ja: '停止中' },
  queues: { en: 'Queues', de: 'Warteschlangen', tr: 'Kuyruklar', ja: 'キュー' },
  queue: { en: 'Queue', de: 'Warteschlange', tr: 'Kuyruk', ja: 'キュー' },
  waiting: { en: 'Waiting', de: 'Wartend', tr: 'Bekleyen', ja: '待機中' },
  readers: { en: 'Readers', de: 'Leser', tr: 'Okuyan', ja: '受信側' },
  lastBackup: { en: 'Last backup', de: 'Letzte Sicherung', tr: 'Son yedek', ja: '最終バックアップ' },
  notKnown: { en: 'Not known here', de: 'Hier nicht bekannt', tr: 'Burada bilinmiyor', ja: '不明' },
  versions: { en: 'Versions', de: 'Versionen', tr: 'Sürümler', ja: 'バージョン' },
});
