import type { Caller } from './caller.ts';

/** A caller's have none, an identity's are `null`, if all of the organization exists for it. */
interface Limits {
  readonly projects?: readonly string[] | null;
}
type Rights = Limits & Pick<Caller, 'permissions'>;

/** What all of these allow. `null`, which allows all, has no part in it. @returns ids of projects, or `null`: all */
export function intersectionOf(...limits: readonly (readonly string[] | null | undefined)[]): string[] | null {
  let common: string[] | null = null;
  for (const limit of limits) {
    if (!limit) continue;
    common = common ? common.filter((id) => limit.includes(id)) : [...limit];
  }
  return common;
}

/** Whether every project that existed for somebody before still does. */
export function holdsProjects({ projects }: Limits, before: Limits): boolean {
  return !projects || !!before.projects?.every((id) => projects.includes(id));
}

/** Whether somebody who was let into a call with these rights still holds all of them. */
export function holdsAll(now: Rights, before: Rights): boolean {
  return holdsProjects(now, before) && before.permissions.every((each) => now.permissions.includes(each));
}

/** Of a call whose caller does not. */
export const LOST_RIGHTS = 'While this call was made, your key or its user lost rights. Repeat it.';
