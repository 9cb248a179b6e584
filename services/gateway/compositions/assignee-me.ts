import type { Identity } from '@worktrack/contracts/keys/identity';

const ME = 'me';

/**
 * `assignee=me` in a filter means whoever calls, by any name that others give them: services know a caller's id alone.
 * @param input parsed
 * @returns the fields to send instead; undefined if the filter means nobody in particular
 */
export function withoutMe(input: unknown, { user }: Identity): { readonly assignee: readonly string[] } | undefined {
  const { assignee } = input as { readonly assignee?: unknown };
  if (!Array.isArray(assignee) || !assignee.includes(ME)) return undefined;
  const others = assignee.filter((name) => name !== ME);
  return { assignee: [...new Set([...others, user.id, user.name, user.email])] };
}
