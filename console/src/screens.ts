import type { Permission } from '@worktrack/contracts/permissions';
import type { IconNode } from 'lucide';
import type { ComponentType } from 'preact';
import { words } from './frame/messages.ts';
import {
  agentsIcon,
  boardIcon,
  bulletsIcon,
  costsIcon,
  inboxIcon,
  planIcon,
  settingsIcon,
  taskIcon,
} from './parts/icons.ts';
import { needing } from './parts/page/heading.tsx';
import type { ScreenProps } from './screen-props.ts';
import { may } from './session.ts';

export interface ScreenEntry {
  /** The address below `/console/`, with `:placeholders`. */
  readonly path: string;
  /** Its name in the navigation; one without a name is reached from other screens. */
  readonly name?: () => string;
  /** Beside its name. */
  readonly icon?: IconNode;
  /** How much waits there, beside its name; nothing if there is none. */
  readonly count?: () => number | undefined;
  /** The same whichever project one is in. */
  readonly isOfAll?: true;
  /** The filters that mean the same in another project. */
  readonly keeps?: readonly string[];
  /** Without any of them, it is not offered. Absent: it is to everybody. */
  readonly needs?: readonly Permission[];
  /** One thing to decide: without what leads elsewhere around it. */
  readonly isAlone?: true;
  readonly load: () => Promise<{ readonly Screen: ComponentType<ScreenProps> }>;
}

/** Where the console begins for most. */
export const FIRST_SCREEN = 'for-you';

/** What of a project's work is shown with its project. */
const OF_PROJECT: readonly Permission[] = ['work-items:read', 'projects:read'];

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly ScreenEntry[] = [
  {
    path: 'for-you',
    name: () => words.forYou,
    icon: taskIcon,
    count: () => needing.value,
    isOfAll: true,
    needs: ['work-items:read'],
    load: () => import('./for-you/screen.tsx'),
  },
  {
    path: 'notifications',
    isOfAll: true,
    needs: ['work-items:read'],
    load: () => import('./notifications/screen.tsx'),
  },
  {
    path: 'board',
    name: () => words.board,
    icon: boardIcon,
    needs: OF_PROJECT,
    load: () => import('./board/screen.tsx'),
  },
  {
    path: 'list',
    name: () => words.list,
    icon: bulletsIcon,
    needs: OF_PROJECT,
    load: () => import('./list/screen.tsx'),
  },
  { path: 'views/:id', needs: OF_PROJECT, load: () => import('./views/saved/screen.tsx') },
  { path: 'items/:id', needs: ['work-items:read'], load: () => import('./item/screen.tsx') },
  {
    path: 'plan',
    name: () => words.plan,
    icon: planIcon,
    needs: OF_PROJECT,
    load: () => import('./plan/screen.tsx'),
  },
  { path: 'plan/:id', needs: OF_PROJECT, load: () => import('./plan/screen.tsx') },
  {
    path: 'agents',
    name: () => words.agents,
    icon: agentsIcon,
    isOfAll: true,
    needs: ['work-items:read'],
    load: () => import('./agents/screen.tsx'),
  },
  {
    path: 'inbox',
    name: () => words.inbox,
    icon: inboxIcon,
    isOfAll: true,
    needs: ['feedback:read'],
    load: () => import('./inbox/screen.tsx'),
  },
  {
    path: 'costs',
    name: () => words.costs,
    icon: costsIcon,
    keeps: ['period', 'from', 'to'],
    needs: OF_PROJECT,
    load: () => import('./costs/screen.tsx'),
  },
  {
    path: 'settings',
    name: () => words.settings,
    icon: settingsIcon,
    isOfAll: true,
    load: () => import('./settings/screen.tsx'),
  },
  {
    path: 'settings/:section',
    isOfAll: true,
    load: () => import('./settings/screen.tsx'),
  },
  { path: 'connect/:id', isAlone: true, load: () => import('./connect/screen.tsx') },
];

/** Whether the signed-in user may see any of it. */
export function isOffered(screen: ScreenEntry): boolean {
  return lackedFor(screen) === undefined;
}

export function lackedFor({ needs = [] }: ScreenEntry): Permission | undefined {
  return needs.find((permission) => !may(permission));
}

/** Where the console begins: with the first of those in the navigation that the user may see. */
export function firstScreen(): string {
  return SCREENS.find((screen) => screen.name && isOffered(screen))?.path ?? '';
}

/** The screen for an address, with the values of its placeholders. */
export function screenAt(path: string): (ScreenProps & { readonly screen: ScreenEntry }) | undefined {
  const parts = path.split('/');
  for (const screen of SCREENS) {
    const pattern = screen.path.split('/');
    if (pattern.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((name, at) => {
      const part = parts[at] ?? '';
      if (!name.startsWith(':')) return name === part;
      params[name.slice(1)] = decoded(part);
      return part !== '';
    });
    if (fits) return { screen, params };
  }
  return undefined;
}

/** What is not a valid encoding stays as it is: then nothing has this name, which the screen says. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
