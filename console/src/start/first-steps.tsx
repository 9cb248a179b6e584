import './start.css';
import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '../parts/project.ts';
import { to } from '../router.ts';
import { may } from '../session.ts';
import { ConnectAgent } from './connect-agent.tsx';
import { words } from './messages.ts';
import { NewProject } from './new-project.tsx';
import { NewTask } from './new-task.tsx';
import { PutWidget } from './put-widget.tsx';
import { AddSample } from './sample/add.tsx';
import { isSample } from './sample/mark.ts';

interface FirstStepsProps {
  readonly projects: readonly Project[];
  /** The empty one; none if there is no project. */
  readonly board?: Board;
}

/** What to do while there is nothing yet. What one may not do is not offered. */
export function FirstSteps({ projects, board }: FirstStepsProps) {
  const sample = projects.find(isSample);
  return (
    <section class="start">
      {sample ? (
        <p>
          <a href={to('board', { project: sample.id })}>{words.openSample}</a>
        </p>
      ) : (
        <AddSample />
      )}
      <ul class="plain start-steps">
        {board === undefined && may('projects:write') && <NewProject />}
        {board !== undefined && may('work-items:write') && <NewTask board={board} />}
        <ConnectAgent projectId={board?.projectId} />
        {may('feedback:read') && <PutWidget />}
      </ul>
    </section>
  );
}
