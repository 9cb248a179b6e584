import type { SubjectKind } from '@worktrack/contracts/events/event';
import type { EventPattern } from '@worktrack/contracts/events/webhook';
import type { Permission } from '@worktrack/contracts/permissions';

/** The contract's PERMISSION_TO_SEE, which would bring zod along; a test compares the two. */
export const PERMISSION_OF_KIND: Readonly<Record<SubjectKind, Permission>> = {
  work_item: 'work-items:read',
  feedback: 'feedback:read',
  project: 'projects:read',
  board: 'projects:read',
  view: 'work-items:read',
  source: 'feedback:read',
  key: 'api-keys:read',
  grant: 'api-keys:read',
  user: 'users:read',
  webhook: 'webhooks:read',
  audit: 'audit:read',
};
export const KINDS = Object.keys(PERMISSION_OF_KIND) as readonly SubjectKind[];

/** What a webhook subscribes to, as it is chosen. */
export interface ChosenTypes {
  readonly everything: boolean;
  readonly kinds: readonly SubjectKind[];
  /** As typed: `work_item.moved key.created`. */
  readonly single: string;
}

export function chosenOf(types: readonly EventPattern[]): ChosenTypes {
  const kinds = KINDS.filter((kind) => types.includes(`${kind}.*`));
  const single = types.filter((type) => !type.endsWith('*')).join(' ');
  return { everything: types.includes('*'), kinds, single };
}

/** The service names those among them that it does not know. */
export function typesOf({ everything, kinds, single }: ChosenTypes): EventPattern[] {
  if (everything) return ['*'];
  const typed = single.split(/[\s,]+/).filter(Boolean) as EventPattern[];
  return [...kinds.map((kind) => `${kind}.*` as const), ...typed];
}
