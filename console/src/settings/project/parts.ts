import { words as common } from '../../parts/messages.ts';
import { may } from '../../session.ts';
import { words } from './messages.ts';

/** Parts of a project, by their name in the address. The first is shown unless it says another. */
export const PARTS = [
  { id: 'general', name: () => words.general, isOffered: () => may('projects:write') },
  { id: 'boards', name: () => words.boards, isOffered: () => true },
  { id: 'labels', name: () => common.labels, isOffered: () => true },
  { id: 'budgets', name: () => words.budgets, isOffered: () => may('work-items:read') },
  { id: 'templates', name: () => words.templates, isOffered: () => true },
] as const;
