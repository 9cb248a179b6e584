import type { Permission } from '@worktrack/contracts/permissions';
import type { ComponentType } from 'preact';
import { words as common } from '../parts/messages.ts';
import { later } from '../parts/page/later.tsx';
import { identity, may } from '../session.ts';
import { Audit } from './audit/section.tsx';
import { Health } from './health/section.tsx';
import { Keys } from './keys/section.tsx';
import { words } from './messages.ts';
import { Sessions } from './sessions/section.tsx';
import { Sources } from './sources/section.tsx';
import { Users } from './users/section.tsx';
import { Webhooks } from './webhooks/section.tsx';

interface SectionEntry {
  /** The address below `settings/`. */
  readonly id: string;
  readonly name: () => string;
  readonly isOffered: () => boolean;
  readonly Section: ComponentType;
}

// Seldom needed, and large.
const Apps = later(async () => (await import('./apps/section.tsx')).Apps);
const Project = later(async () => (await import('./project/section.tsx')).Project);
const Trust = later(async () => (await import('./trust/section.tsx')).Trust);

/** What belongs to no project is refused to whoever is limited to projects. */
const isUnlimited = () => !identity.value?.projects;
const mayOfAll = (permission: Permission) => isUnlimited() && may(permission);

/** Every section, in navigation order. */
export const SECTIONS: readonly SectionEntry[] = [
  { id: 'keys', name: () => words.keys, isOffered: () => may('api-keys:read'), Section: Keys },
  { id: 'users', name: () => words.users, isOffered: () => mayOfAll('users:read'), Section: Users },
  { id: 'sessions', name: () => words.sessions, isOffered: () => mayOfAll('api-keys:read'), Section: Sessions },
  {
    id: 'project',
    name: () => common.project,
    isOffered: () => may('projects:read') && (may('projects:write') || may('work-items:write')),
    Section: Project,
  },
  { id: 'sources', name: () => words.sources, isOffered: () => may('feedback:read'), Section: Sources },
  { id: 'webhooks', name: () => words.webhooks, isOffered: () => may('webhooks:read'), Section: Webhooks },
  { id: 'apps', name: () => words.apps, isOffered: () => true, Section: Apps },
  { id: 'trust', name: () => words.trust, isOffered: () => mayOfAll('api-keys:write'), Section: Trust },
  {
    id: 'health',
    name: () => words.health,
    isOffered: () => isUnlimited() && identity.value?.user.role === 'owner',
    Section: Health,
  },
  { id: 'audit', name: () => words.audit, isOffered: () => mayOfAll('audit:read'), Section: Audit },
];
