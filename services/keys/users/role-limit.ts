import type { RoleLimit } from '@worktrack/contracts/keys/records';
import { type Permission, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';

/*
 * Some operations go by the role. The maker of a key, an invitation or a rule of trust for somebody else has its secret, or decides who gets its tokens, and
 * would rise with that user.
 *
 * So it acts with no higher role than its maker could have acted with as somebody else when it was made (requireRoleOfOther), whatever its user becomes. When
 * an owner promotes a member, the admin who once made a key for that member gains nothing. The limit is not the user's role of that day: what an owner made for
 * a new member goes on when they become an admin, as its permissions do.
 *
 * GitLab leaves tokens for others to the administrators of an instance, who have nobody above them (docs.gitlab.com/api/user_tokens). Where the maker has
 * somebody above, the rule is that of Kubernetes: nobody gives what they lack (Using RBAC Authorization, "Privilege escalation prevention and bootstrapping").
 */

/** What somebody with these permissions may act with as others. @returns undefined: any role */
export function roleLimitOf(held: readonly Permission[]): RoleLimit | undefined {
  const holds = (role: 'owner' | 'admin') => ROLE_PERMISSIONS[role].every((each) => held.includes(each));
  if (holds('owner')) return undefined;
  return holds('admin') ? 'admin' : 'member';
}

export function roleWithin(role: string, limit: RoleLimit | null | undefined): string {
  if (!limit || (role !== 'owner' && role !== 'admin')) return role;
  return role === 'owner' ? limit : (lowest('admin', limit) ?? role);
}

export function lowest(...limits: readonly (RoleLimit | null | undefined)[]): RoleLimit | undefined {
  if (limits.includes('member')) return 'member';
  return limits.includes('admin') ? 'admin' : undefined;
}
