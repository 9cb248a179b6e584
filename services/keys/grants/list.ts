import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { listGrants as operation } from '@worktrack/contracts/keys/grants';
import { intersectionOf } from '@worktrack/contracts/rights';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { pageOfGrants } from './grants.repository.ts';

/** One's own, whoever one is; those of all users are for owners, which the gateway has checked. */
export const listGrants: Read<typeof operation> = async (input, context) => {
  if (input.all) requireUnlimited(context);
  const page = await pageOfGrants(context, input.all ? undefined : context.caller.userId, input);
  const { projects } = context.caller;
  if (!projects) return page;
  // Others do not exist for the caller: the grant may have been made with another key, or before the user was limited.
  return {
    ...page,
    items: page.items.map((each) => ({ ...each, projects: each.projects && intersectionOf(each.projects, projects) })),
  };
};

/** What all users have connected belongs to no project. */
export function requireUnlimited({
  caller,
  fail,
}: {
  readonly caller: Caller;
  readonly fail: Fail<'PERMISSION_DENIED'>;
}): void {
  if (!caller.projects) return;
  throw fail('PERMISSION_DENIED', 'This belongs to no project, and your key or its user is limited to projects.', {
    details: [{ path: 'projects', message: 'your key is limited to projects' }],
  });
}
