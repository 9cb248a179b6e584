import { Button } from '../../parts/button.tsx';
import { words as ofStart } from '../messages.ts';
import { WorkProgress } from './progress.tsx';
import { mayHaveSample, startMaking, work } from './work.ts';

export function AddSample() {
  if (!mayHaveSample()) return null;
  if (work.value) return <WorkProgress />;
  return (
    <div class="row start-sample">
      <p>{ofStart.lookAround}</p>
      <Button text={ofStart.addSample} onClick={() => void startMaking()} />
    </div>
  );
}
