import '../start.css';
import { Button } from '../../parts/button.tsx';
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
          {state === 'making' && <Button text={words.again} onClick={() => void startAnew(project)} />}
          <Button
            text={state === 'removing' ? words.removeRest : words.remove}
            onClick={() => void startRemoving(project)}
          />
        </>
      )}
    </div>
  );
}
