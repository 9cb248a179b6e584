import { STANDARD_COLUMNS } from '@worktrack/contracts/projects/board';
import { type ColumnRole, ROLE_NAMES, roleOfName } from '@worktrack/contracts/projects/column-roles';
import type { ColumnRecord } from '../boards/boards.model.ts';

/** By default a column is for what its name says. */
export function newColumn({ name, role, limit }: NewColumn) {
  return { name, role: role === undefined ? roleOfName(name) : role, limit: limit ?? null };
}

interface NewColumn {
  readonly name: string;
  readonly role?: ColumnRole | null | undefined;
  readonly limit?: number | null | undefined;
}

export const standardColumns = () => STANDARD_COLUMNS.map((name) => newColumn({ name }));

/** Without these nothing can be begun or finished. Each with what else would do. */
const NEEDED: readonly (readonly ColumnRole[])[] = [['in_progress'], ['done'], ['backlog', 'todo']];

/** The roles that a board's columns lack for the service to work with it; undefined: none. */
export function lackingRoles(columns: readonly Omit<ColumnRecord, 'id'>[]): string | undefined {
  const roles = new Set(columns.map((column) => column.role));
  const lacking = NEEDED.filter((any) => !any.some((role) => roles.has(role)));
  if (lacking.length === 0) return undefined;
  const each = lacking.map(
    (any) => `one of the role ${any.join(' or ')} (named ${ROLE_NAMES[any[0] as ColumnRole][0]}, for example)`,
  );
  return `must have ${each.join(' and ')}; give a column its role, or such a name`;
}
