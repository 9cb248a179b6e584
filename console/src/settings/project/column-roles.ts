import type { Column } from '@worktrack/contracts/projects/board';
import { words } from './messages.ts';

export type Role = NonNullable<Column['role']> | 'none';

/** What a column can be for, in order of progress, and what the service does by it (docs/agents.md#trees-leaf-tasks-and-cascades). */
const HELP: Readonly<Record<Role, () => string>> = {
  backlog: () => words.pendingHelp,
  todo: () => words.pendingHelp,
  in_progress: () => words.in_progressHelp,
  review: () => words.reviewHelp,
  testing: () => words.validationHelp,
  validating: () => words.validationHelp,
  to_document: () => words.to_documentHelp,
  done: () => words.doneHelp,
  none: () => words.noneHelp,
};
export const ROLES = Object.keys(HELP) as Role[];

export const helpOf = (role: Role): string => HELP[role]();

export const ofColumn = ({ role }: Pick<Column, 'role'>): Role => role ?? 'none';
export const toColumn = (role: Role): Column['role'] => (role === 'none' ? null : role);
