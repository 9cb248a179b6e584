import type { Permission } from '@worktrack/contracts/permissions';
import type { ComponentType } from 'preact';
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
  /** Without it, it is not offered. */
  readonly permission: Permission;
  readonly Section: ComponentType;
}

/** Every section, in navigation order. */
export const SECTIONS: readonly SectionEntry[] = [
  { id: 'keys', name: () => words.keys, permission: 'api-keys:read', Section: Keys },
  { id: 'users', name: () => words.users, permission: 'users:read', Section: Users },
  { id: 'sessions', name: () => words.sessions, permission: 'api-keys:read', Section: Sessions },
  { id: 'sources', name: () => words.sources, permission: 'feedback:read', Section: Sources },
  { id: 'webhooks', name: () => words.webhooks, permission: 'webhooks:read', Section: Webhooks },
];
