/** What an audited operation is about. */
export const AUDIT_TARGETS = [
  'organization',
  'user',
  'role',
  'key',
  'session',
  'rule',
  'grant',
  'source',
  'webhook',
  'project',
  'board',
  'work_item',
  'feedback',
  'audit',
] as const;
export type AuditTargetType = (typeof AUDIT_TARGETS)[number];
