import type { Output } from '@worktrack/contracts/operation';
import type { listBoards } from '@worktrack/contracts/projects/board-operations';
import type { listProjects } from '@worktrack/contracts/projects/project-operations';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { ready } from '../live/live.ts';
import { filter, projectHere } from '../router.ts';
import { may } from '../session.ts';

export type Project = Output<typeof listProjects>['projects'][number];

const PAGE_SIZE = 100;

type Page = Pick<Output<typeof listProjects>, 'projects' | 'nextCursor'>;

/** Reads the first projects along with what else the first screen shows. */
let readAlong: ((signal: AbortSignal) => Promise<Page>) | undefined;
export function beginWith(read: typeof readAlong): void {
  readAlong = read;
}

async function firstProjects(signal: AbortSignal): Promise<Page> {
  // Of a project or a board that is gone, for example: then each part is asked for, and says so itself.
  const known = await readAlong?.(signal).catch(() => undefined);
  // Else it was called off, to be read again: what happened meanwhile may be missing.
  if (!signal.aborted) readAlong = undefined;
  return known ?? (await call<typeof listProjects>('GET /api/projects', { limit: PAGE_SIZE }, { signal }));
}

async function allProjects(signal: AbortSignal): Promise<readonly Project[]> {
  let { projects, nextCursor: cursor }: Page = await firstProjects(signal);
  while (cursor) {
    const page = await call<typeof listProjects>('GET /api/projects', { limit: PAGE_SIZE, cursor }, { signal });
    projects = [...projects, ...page.projects];
    cursor = page.nextCursor;
  }
  return projects;
}

export function useProjects() {
  return useQuery({
    key: ['projects'],
    load: allProjects,
    follows: ({ subject }) => subject.kind === 'project',
    enabled: ready.value && may('projects:read'),
  });
}

/** @param isAhead whether what is shown of them is ahead of what events tell */
export function useBoards(
  id: string,
  { keepsEarlier = false, isAhead }: { readonly keepsEarlier?: boolean; readonly isAhead?: () => boolean } = {},
) {
  return useQuery({
    key: ['boards', id],
    load: (signal) => call<typeof listBoards>('GET /api/projects/:id/boards', { id }, { signal }),
    follows: ({ subject, projectId }) => subject.kind === 'board' && projectId === id && !isAhead?.(),
    keepsEarlier,
  });
}

/** The project that one is in, or else the newest; none if the address names one that is gone. */
export function chosenProject(projects: readonly Project[]): Project | undefined {
  const id = projectHere.value;
  return projects.find((project) => project.id === id) ?? (filter('project') ? undefined : projects[0]);
}
