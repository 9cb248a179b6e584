import { z } from 'zod';

/** What a column is for, in order of progress. Everything the service does by column, it does by these. */
export const ROLES = [
  'backlog',
  'todo',
  'in_progress',
  'review',
  'testing',
  'validating',
  'to_document',
  'done',
] as const;
export const ColumnRole = z.enum(ROLES);
export type ColumnRole = z.infer<typeof ColumnRole>;

/** The names that say each role, in English, German, Turkish and Japanese, and those that teams use. The first is that of a new board. */
export const ROLE_NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  backlog: [
    'Backlog',
    'Icebox',
    'Ideas',
    'Inbox',
    'Triage',
    'Rückstand',
    'Eingang',
    'Bekleyenler',
    'バックログ',
    '積み残し',
  ],
  todo: [
    ...[
      'To Do',
      'Todo',
      'To-do',
      'Open',
      'Ready',
      'Ready for Development',
      'Next',
      'Up Next',
      'Selected for Development',
    ],
    ...['Zu erledigen', 'Offen', 'Bereit', 'Als Nächstes', 'Yapılacak', 'Yapılacaklar', 'Hazır', 'Açık'],
    ...['未着手', '未対応', '予定', 'やること', '準備完了'],
  ],
  in_progress: [
    ...[
      'In Progress',
      'Doing',
      'In Development',
      'Development',
      'Working',
      'WIP',
      'Started',
      'Active',
      'Coding',
      'Implementing',
    ],
    ...['In Arbeit', 'In Bearbeitung', 'In Entwicklung', 'Devam Ediyor', 'Devam Eden', 'Yapılıyor', 'Geliştirmede'],
    ...['進行中', '作業中', '対応中', '処理中', '開発中'],
  ],
  review: [
    ...['Review', 'In Review', 'Code Review', 'Peer Review', 'Ready for Review', 'Reviewing', 'PR Review'],
    ...['Überprüfung', 'In Überprüfung', 'Prüfung', 'In Prüfung', 'İnceleme', 'İncelemede', 'Gözden Geçirme'],
    ...['レビュー', 'レビュー中', 'レビュー待ち', '確認中', '確認待ち'],
  ],
  testing: [
    ...['Testing', 'In Testing', 'Test', 'QA', 'In QA', 'Ready for QA', 'Quality Assurance'],
    ...['Im Test', 'Tests', 'Testen', 'Testte', 'Test Ediliyor', 'Test Aşaması', 'テスト', 'テスト中', '検証中'],
  ],
  validating: [
    ...['Validating', 'Validation', 'In Validation', 'Acceptance', 'UAT', 'Staging', 'Verification', 'Verifying'],
    ...['Validierung', 'Abnahme', 'In Abnahme', 'Doğrulama', 'Doğrulanıyor', 'Kabul', '受け入れ', '受入確認', '検収'],
  ],
  to_document: [
    ...['To Document', 'Documentation', 'Documenting', 'Needs Documentation', 'Docs'],
    ...['Zu dokumentieren', 'Dokumentation', 'Belgelenecek', 'Dokümantasyon', '文書化', 'ドキュメント化', '文書作成'],
  ],
  done: [
    ...[
      'Done',
      'Closed',
      'Complete',
      'Completed',
      'Finished',
      'Shipped',
      'Released',
      'Deployed',
      'Live',
      'Resolved',
      'Merged',
    ],
    ...[
      'Erledigt',
      'Fertig',
      'Abgeschlossen',
      'Tamamlandı',
      'Bitti',
      'Kapandı',
      '完了',
      '済み',
      '終了',
      'リリース済み',
    ],
  ],
};

const BY_NAME = new Map(ROLES.flatMap((role) => ROLE_NAMES[role].map((name) => [foldedName(name), role] as const)));

/** The role that a column's name says, in any case; null: none. */
export function roleOfName(name: string): ColumnRole | null {
  return BY_NAME.get(foldedName(name)) ?? null;
}

/**
 * Maps all spellings of a column's name to one: any case, any Unicode form, with or without invisible characters, and with words joined by spaces, hyphens or
 * underscores. Upper case comes first, since lower case alone does not know the capitals of ß. Turkish has two letters i, which no language's lower case maps
 * to each other in every case.
 */
export function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{DI}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replace(/[\s_-]+/g, ' ')
    .trim();
}
