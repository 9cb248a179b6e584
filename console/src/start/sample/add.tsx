import { words as ofStart } from '../messages.ts';
import { WorkProgress } from './progress.tsx';
import { mayHaveSample, startMaking, work } from './work.ts';

export function AddSample() {
  if (!mayHaveSample()) return null;
  if (work.value) return <WorkProgress />;
  return (
    <div class="row start-sample">
      <p>{ofStart.lookAround}</p>
      <button type="button" class="button" onClick={() => void startMaking()}>
        {ofStart.addSample}
      </button>
    </div>
  );
}
