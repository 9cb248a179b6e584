import { type LoggedEvent, PERMISSION_TO_SEE, permissionToSee } from '@worktrack/contracts/events/event';
import type { EventPattern } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';
import type { WebhookDocument } from '../webhooks.model.ts';

/** Whether a webhook should get an event: it subscribes to it and may see what it is about. */
export function wants(
  webhook: Pick<WebhookDocument, 'types' | 'projectId' | 'permissions'>,
  event: Pick<LoggedEvent, 'type' | 'subject' | 'projectId'>,
): boolean {
  return webhook.types.some((pattern) => matches(pattern, event.type)) && maySee(webhook, event);
}

/** Also asked before each attempt: since the event was queued, somebody who may see less may have become the maker. */
export function maySee(
  { projectId, permissions }: Pick<WebhookDocument, 'projectId' | 'permissions'>,
  { subject, projectId: ofProject }: Pick<LoggedEvent, 'subject' | 'projectId'>,
): boolean {
  const isOfProject = projectId === null || projectId === ofProject;
  return isOfProject && permissions.includes(PERMISSION_TO_SEE[subject.kind]);
}

function matches(pattern: EventPattern, type: string): boolean {
  if (!pattern.endsWith('*')) return pattern === type;
  return type.startsWith(pattern.slice(0, -1));
}

/** Whether an event says that a webhook's user was disabled, may no longer have webhooks, or no longer sees its project or something else that it gets. */
export function loses(
  { type, subject, data }: LoggedEvent,
  {
    maker,
    projectId,
    types,
    permissions,
  }: Pick<WebhookDocument, 'projectId' | 'types' | 'permissions'> & {
    readonly maker: { readonly userId: string };
  },
): boolean {
  if (type !== 'user.updated' || subject.id !== maker.userId) return false;
  const { disabled, role, projects } = (data.changes ?? {}) as Readonly<Record<string, { readonly to?: unknown }>>;
  if (disabled?.to === true) return true;
  if (Array.isArray(projects?.to) && (projectId === null || !projects.to.includes(projectId))) return true;
  // Of the role that the user has now.
  const held = data.permissions as readonly Permission[] | undefined;
  if (!held) return role !== undefined;
  const toSee = types.flatMap((each) => (each === '*' ? Object.values(PERMISSION_TO_SEE) : permissionToSee(each)));
  const needed = toSee.filter((each) => permissions.includes(each));
  return !['webhooks:write' as const, ...needed].every((each) => held.includes(each));
}
