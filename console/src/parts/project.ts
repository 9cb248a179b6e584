import type { Output } from '@worktrack/contracts/operation';
import type { listProjects } from '@worktrack/contracts/projects/project-operations';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { projectHere } from '../router.ts';

export type Project = Output<typeof listProjects>['projects'][number];

const PAGE_SIZE = 100;

async function allProjects(signal: AbortSignal): Promise<readonly Project[]> {
  const projects: Project[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await call<typeof listProjects>(
      'GET /api/projects',
      { limit: PAGE_SIZE, ...(cursor && { cursor }) },
      { signal },
    );
    projects.push(...page.projects);
    cursor = page.nextCursor;
  } while (cursor);
  return projects;
}

export function useProjects() {
  return useQuery({
    key: ['projects'],
    load: allProjects,
    follows: ({ subject }) => subject.kind === 'project',
  });
}

/** The project that one is in, or else the newest. */
export function chosenProject(projects: readonly Project[]): Project | undefined {
  const id = projectHere.value;
  return projects.find((project) => project.id === id) ?? projects[0];
}
