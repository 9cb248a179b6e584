import { words as common } from '../parts/messages.ts';
import { Gone } from '../parts/page/gone.tsx';
import { Empty } from '../parts/page/states.tsx';
import type { Project } from '../parts/project.ts';
import { may } from '../session.ts';
import { FirstSteps } from './first-steps.tsx';
import { words } from './messages.ts';

/** What is shown of a project where there is none: it is gone, or none was ever made. */
export function NoProject({ all }: { readonly all: readonly Project[] }) {
  if (all[0]) return <Gone what="project" others={all} />;
  return (
    <>
      <Empty>
        <p>{common.noProject}</p>
        {!may('projects:write') && <p>{words.askForProject}</p>}
      </Empty>
      <FirstSteps projects={all} />
    </>
  );
}
