import type { Board } from '@worktrack/contracts/projects/board';
import type { ComponentChildren } from 'preact';
import { later } from '../parts/page/later.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { Loaded } from '../parts/page/states.tsx';
import { chosenProject, type Project, useBoards, useProjects } from '../parts/project.ts';
import { attended, go, to } from '../router.ts';
import { words } from './messages.ts';

// Rarely seen, and not while a board is first drawn.
export const Gone = later(async () => (await import('../parts/page/gone.tsx')).Gone);
const NoProject = later(async () => (await import('../start/no-project.tsx')).NoProject);

interface Work {
  readonly projects: readonly Project[];
  readonly project: Project;
  readonly boards: readonly Board[];
}

/** What shows the work of the project that one is in. */
export function WorkOf({ children }: { readonly children: (work: Work) => ComponentChildren }) {
  const projects = useProjects();
  return (
    <Loaded query={projects}>
      {(all) => {
        const project = chosenProject(all);
        if (project) return <OfProject projects={all} project={project} children={children} />;
        return <NoProject all={all} />;
      }}
    </Loaded>
  );
}

interface OfProjectProps extends Omit<Work, 'boards'> {
  readonly children: (work: Work) => ComponentChildren;
}

function OfProject({ children, ...work }: OfProjectProps) {
  const { id } = work.project;
  // As in the panel, whose own comes before it.
  useShortcuts([{ keys: 'o', label: words.openWhole, run: () => attended && go(to(`items/${attended}`)) }]);
  const boards = useBoards(id);
  return <Loaded query={boards}>{(all) => <>{children({ ...work, boards: all })}</>}</Loaded>;
}
