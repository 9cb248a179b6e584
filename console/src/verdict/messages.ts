import { messages } from '../language/messages.ts';

export const words = messages({
  approve: { en: 'Approve', de: 'Freigeben', tr: 'Onayla', ja: '承認' },
  approved: {
    en: '{taskId} approved.',
    de: '{taskId} freigegeben.',
    tr: '{taskId} onaylandı.',
    ja: '{taskId} を承認しました。',
  },
  approvedSummary: {
    en: 'Approved in the console.',
    de: 'In der Konsole freigegeben.',
    tr: 'Konsolda onaylandı.',
    ja: 'コンソールで承認されました。',
  },
  sentBack: {
    en: '{taskId} sent back. Its next agent gets what you wrote.',
    de: '{taskId} zurückgegeben. Der nächste Agent bekommt, was du geschrieben hast.',
    tr: '{taskId} geri gönderildi. Yazdıklarınız sonraki ajana iletilecek.',
    ja: '{taskId} を差し戻しました。内容は次のエージェントに伝わります。',
  },
  issues: { en: 'Issues', de: 'Mängel', tr: 'Sorunlar', ja: '問題点' },
  issuesHelp: { en: 'One on each line.', de: 'Einer je Zeile.', tr: 'Her satıra bir tane.', ja: '1 行に 1 件。' },
  noVerdict: { en: 'Not recorded.', de: 'Nicht festgehalten.', tr: 'Kaydedilmedi.', ja: '記録されていません。' },
});
