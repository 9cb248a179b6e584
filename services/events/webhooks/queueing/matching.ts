import { type LoggedEvent, PERMISSION_TO_SEE } from '@worktrack/contracts/events/event';
import type { EventPattern } from '@worktrack/contracts/events/webhook';
import { ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';
import type { WebhookDocument } from '../webhooks.model.ts';

/** Whether a webhook should get an event: it subscribes to it and may see what it is about. */
export function wants(
  { types, projectId, permissions }: Pick<WebhookDocument, 'types' | 'projectId' | 'permissions'>,
  { type, subject, projectId: ofProject }: Pick<LoggedEvent, 'type' | 'subject' | 'projectId'>,
): boolean {
  const asked = types.some((pattern) => matches(pattern, type));
  const isOfProject = projectId === null || projectId === ofProject;
  return asked && isOfProject && permissions.includes(PERMISSION_TO_SEE[subject.kind]);
}

function matches(pattern: EventPattern, type: string): boolean {
  if (!pattern.endsWith('*')) return pattern === type;
  return type.startsWith(pattern.slice(0, -1));
}

/** Whether an event says that a user was disabled or may no longer have webhooks. */
export function loses({ type, subject, data }: LoggedEvent, userId: string): boolean {
  if (type !== 'user.updated' || subject.id !== userId) return false;
  const { disabled, role } = (data.changes ?? {}) as { disabled?: { to?: unknown }; role?: { to?: unknown } };
  if (disabled?.to === true) return true;
  return role !== undefined && !ROLE_PERMISSIONS[role.to as Role]?.includes('webhooks:write');
}
