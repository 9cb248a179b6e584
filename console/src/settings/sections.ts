import type { Permission } from '@worktrack/contracts/permissions';
import type { ComponentType } from 'preact';
import { words as common } from '../parts/messages.ts';
import { later } from '../parts/page/later.tsx';
import { identity, may } from '../session.ts';
import { words } from './messages.ts';

interface SectionEntry {
  /** The address below `settings/`. */
  readonly id: string;
  readonly name: () => string;
  readonly isOffered: () => boolean;
  readonly Section: ComponentType;
}

// What the sections are called is needed elsewhere, too (palette).
const Apps = later(async () => (await import('./apps/section.tsx')).Apps);
const Audit = later(async () => (await import('./audit/section.tsx')).Audit);
const Health = later(async () => (await import('./health/section.tsx')).Health);
const Keys = later(async () => (await import('./keys/section.tsx')).Keys);
const Project = later(async () => (await import('./project/section.tsx')).Project);
const Roles = later(async () => (await import('./roles/section.tsx')).Roles);
const Sessions = later(async () => (await import('./sessions/section.tsx')).Sessions);
const Sources = later(async () => (await import('./sources/section.tsx')).Sources);
const Trust = later(async () => (await import('./trust/section.tsx')).Trust);
const Users = later(async () => (await import('./users/section.tsx')).Users);
const Webhooks = later(async () => (await import('./webhooks/section.tsx')).Webhooks);

/** What belongs to no project is refused to whoever is limited to projects. */
const isUnlimited = () => !identity.value?.projects;
const mayOfAll = (permission: Permission) => isUnlimited() && may(permission);

/** Every section, in navigation order. */
export const SECTIONS: readonly SectionEntry[] = [
  { id: 'keys', name: () => words.keys, isOffered: () => may('api-keys:read'), Section: Keys },
  { id: 'users', name: () => words.users, isOffered: () => mayOfAll('users:read'), Section: Users },
  { id: 'roles', name: () => words.roles, isOffered: () => mayOfAll('users:read'), Section: Roles },
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
