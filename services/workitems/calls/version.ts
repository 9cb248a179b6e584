import type { Permission } from '@worktrack/contracts/permissions';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';

export interface Versioned {
  /** As the error names it. */
  readonly name: string;
  readonly version: number;
  /** To read it. */
  readonly permission: Permission;
  readonly current: () => unknown;
}

/** @param expected the version that the caller has read, if given @throws CONFLICT with the record as it is, for callers that may read it */
export function requireVersion(
  { caller, fail }: Pick<ReadContext<'CONFLICT'>, 'caller' | 'fail'>,
  { name, version, permission, current }: Versioned,
  expected: number | undefined,
): void {
  if (expected === undefined || expected === version) return;
  const mayRead = caller.permissions.includes(permission);
  throw fail(
    'CONFLICT',
    `${name} is at version ${version}, not ${expected}: it has changed since you read it. ${mayRead ? 'Look at `current` and repeat with its version.' : 'Read it and repeat with its version.'}`,
    mayRead ? { current: current() } : {},
  );
}
