import type { NotificationKind } from '@worktrack/contracts/events/notifications';
import type { Language } from '@worktrack/contracts/people/languages';
import type { NeedKind } from '@worktrack/contracts/work-items/attention';

/** What messages say besides what others wrote. */
export interface Words {
  readonly kinds: Readonly<Record<NotificationKind, string>>;
  /** What an item needs somebody for. */
  readonly needs: Readonly<Record<NeedKind, string>>;
  readonly agent: string;
  /** With `{n}`: how many. */
  readonly more: string;
  readonly news: string;
  readonly settings: string;
  readonly unsubscribe: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    kinds: {
      mention: 'you were mentioned',
      assigned: 'was assigned to you',
      need: 'needs somebody',
      comment: 'has a new comment',
      move: 'was moved',
      change: 'was changed',
    },
    needs: {
      question: 'a question',
      review: 'to review',
      validation: 'to validate',
      returned: 'sent back',
      stalled: 'stalled',
      failed: 'failed',
      blocked: 'blocked',
      budget: 'budget',
      assigned: 'assigned',
    },
    agent: 'agent',
    more: '{n} more',
    news: '{n} new',
    settings: 'What you are told, and when',
    unsubscribe: 'No more mail',
  },
  de: {
    kinds: {
      mention: 'du wurdest erwähnt',
      assigned: 'wurde dir zugewiesen',
      need: 'braucht jemanden',
      comment: 'hat einen neuen Kommentar',
      move: 'wurde verschoben',
      change: 'wurde geändert',
    },
    needs: {
      question: 'eine Frage',
      review: 'zu prüfen',
      validation: 'zu validieren',
      returned: 'zurückgegeben',
      stalled: 'stockt',
      failed: 'gescheitert',
      blocked: 'blockiert',
      budget: 'Budget',
      assigned: 'zugewiesen',
    },
    agent: 'Agent',
    more: '{n} weitere',
    news: '{n} neue',
    settings: 'Worüber du benachrichtigt wirst, und wann',
    unsubscribe: 'Keine E-Mails mehr',
  },
  tr: {
    kinds: {
      mention: 'sizden bahsedildi',
      assigned: 'size atandı',
      need: 'birini bekliyor',
      comment: 'yeni bir yorum aldı',
      move: 'taşındı',
      change: 'değiştirildi',
    },
    needs: {
      question: 'soru',
      review: 'incelenecek',
      validation: 'doğrulanacak',
      returned: 'geri gönderildi',
      stalled: 'duraklamış',
      failed: 'başarısız',
      blocked: 'engellendi',
      budget: 'bütçe',
      assigned: 'atandı',
    },
    agent: 'ajan',
    more: '{n} tane daha',
    news: '{n} yeni bildirim',
    settings: 'Nelerin ne zaman bildirileceği',
    unsubscribe: 'E-posta almayı bırak',
  },
  ja: {
    kinds: {
      mention: 'あなたがメンションされました',
      assigned: 'あなたに割り当てられました',
      need: '対応が必要です',
      comment: '新しいコメントがあります',
      move: '移動されました',
      change: '変更されました',
    },
    needs: {
      question: '質問',
      review: 'レビュー待ち',
      validation: '検証待ち',
      returned: '差し戻し',
      stalled: '停滞',
      failed: '失敗',
      blocked: 'ブロック中',
      budget: '予算',
      assigned: '割り当て',
    },
    agent: 'エージェント',
    more: '他{n}件',
    news: '新着{n}件',
    settings: '通知の内容と時間帯',
    unsubscribe: 'メールの配信停止',
  },
};
