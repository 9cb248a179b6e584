import { messages } from '../../language/messages.ts';

export const words = messages({
  noBoard: {
    en: 'This board no longer exists, or you may not see it.',
    de: 'Dieses Board gibt es nicht mehr, oder du darfst es nicht sehen.',
    tr: 'Bu pano artık yok ya da görme izniniz yok.',
    ja: 'このボードは存在しないか、表示する権限がありません。',
  },
  noProject: {
    en: 'This project no longer exists, or you may not see it.',
    de: 'Dieses Projekt gibt es nicht mehr, oder du darfst es nicht sehen.',
    tr: 'Bu proje artık yok ya da görme izniniz yok.',
    ja: 'このプロジェクトは存在しないか、表示する権限がありません。',
  },
  boards: { en: 'Boards', de: 'Boards', tr: 'Panolar', ja: 'ボード' },
  projects: { en: 'Projects', de: 'Projekte', tr: 'Projeler', ja: 'プロジェクト' },
});
