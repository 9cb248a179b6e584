import type { Output } from '@worktrack/contracts/operation';
import type { listProjects } from '@worktrack/contracts/projects/project-operations';
import { useId } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { filter, setFilters } from '../router.ts';
import { words } from './messages.ts';
import { Select } from './select.tsx';

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

/** The project in the address, or else the newest. */
export function chosenProject(projects: readonly Project[]): Project | undefined {
  const id = filter('project');
  return projects.find((project) => project.id === id) ?? projects[0];
}

interface ProjectChoiceProps {
  readonly projects: readonly Project[];
  /** Filters that mean the same in another project. */
  readonly keeps?: readonly string[];
}

/** Chooses the project in the address; absent if there is only one. The other filters belong to the previous project. */
export function ProjectChoice({ projects, keeps = [] }: ProjectChoiceProps) {
  const id = useId();
  if (projects.length < 2) return null;
  const others = [...new URLSearchParams(location.search).keys()].filter((name) => !keeps.includes(name));
  const cleared = Object.fromEntries(others.map((name) => [name, undefined]));
  return (
    <>
      <label class="unseen" for={id}>
        {words.project}
      </label>
      <Select
        id={id}
        inline
        value={chosenProject(projects)?.id}
        options={projects.map((project) => [project.id, project.name])}
        onChoose={(chosen) => setFilters({ ...cleared, project: chosen }, 'push')}
      />
    </>
  );
}
