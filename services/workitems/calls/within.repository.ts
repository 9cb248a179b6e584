import type { Caller } from '@worktrack/contracts/caller';
import { oneOf } from '@worktrack/runtime/database/one-of';

type Limits = Pick<Caller, 'organizationId' | 'projects'>;

/** The filter of everything that exists for the caller: all of the organization, or the projects that the caller is limited to. */
export function within({ organizationId, projects }: Limits) {
  return { organizationId, ...(projects && { projectId: oneOf(projects) }) };
}

/** The same for projects themselves. */
export function projectsWithin({ organizationId, projects }: Limits) {
  return { organizationId, ...(projects && { _id: oneOf(projects) }) };
}

/** The same in one project: nothing, if that does not exist for the caller. @param projectId undefined: in all of them */
export function withinProject(limits: Limits, projectId: string | undefined) {
  if (projectId === undefined) return within(limits);
  return { organizationId: limits.organizationId, projectId: exists(limits, projectId) ? projectId : oneOf([]) };
}

export function exists({ projects }: Pick<Caller, 'projects'>, projectId: string): boolean {
  return !projects || projects.includes(projectId);
}

/** The same for callers for whom the same exists. */
export const limitsOf = ({ organizationId, projects }: Limits): string =>
  projects ? `${organizationId} ${[...projects].sort().join()}` : organizationId;
