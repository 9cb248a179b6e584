import '../start.css';
import type { Project } from '../../parts/project.ts';
import { sampleState } from './mark.ts';
import { words } from './messages.ts';
import { WorkProgress } from './progress.tsx';
import { mayHaveSample, startAnew, startRemoving, work } from './work.ts';

/** Above the sample's board: what it is, how far along it is, and how to remove it. */
export function SampleBar({ project }: { readonly project: Project }) {
  const state = sampleState(project);
  if (!state) return null;
  if (work.value) {
    return (
      <div class="sample-bar">
        <WorkProgress />
      </div>
    );
  }
  const said = { making: words.incomplete, made: words.made, removing: words.partlyRemoved }[state];
  return (
    <div class="row sample-bar">
      <p>{said}</p>
      {mayHaveSample() && (
        <>
          {state === 'making' && (
            <button type="button" class="button" onClick={() => void startAnew(project)}>
              {words.again}
            </button>
          )}
          <button type="button" class="button" onClick={() => void startRemoving(project)}>
            {state === 'removing' ? words.removeRest : words.remove}
          </button>
        </>
      )}
    </div>
  );
}
