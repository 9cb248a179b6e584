import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';

/**
 * Nobody gives more projects than they have.
 * @param wanted undefined: those of the caller
 * @throws VALIDATION_FAILED in the words for an unknown project: whoever is limited does not learn what else there is
 */
export function projectsWithin(
  { caller, fail }: { readonly caller: Caller; readonly fail: Fail<'VALIDATION_FAILED' | 'PERMISSION_DENIED'> },
  wanted: readonly string[] | null | undefined,
): string[] | null {
  const { projects } = caller;
  if (wanted === undefined) return projects ? [...projects] : null;
  if (!projects) return wanted && [...wanted];
  if (wanted === null) {
    throw fail(
      'PERMISSION_DENIED',
      'Your key is limited to projects, and so are the keys that it creates. Leave `projects` out.',
      {
        details: [{ path: 'projects', message: 'your key is limited to projects' }],
      },
    );
  }
  const unknown = wanted.find((id) => !projects.includes(id));
  if (unknown !== undefined) throw unknownProject(fail, unknown);
  return [...wanted];
}

function unknownProject(fail: Fail<'VALIDATION_FAILED'>, id: string) {
  const message = `names ${id}, which is no project of your organization. list_projects (GET /api/projects) lists them`;
  return fail('VALIDATION_FAILED', `projects ${message}.`, { details: [{ path: 'projects', message }] });
}
