import { words } from './messages.ts';
import { work } from './work.ts';

/** How far along the creation or the removal is. */
export function WorkProgress() {
  const { value } = work;
  if (!value) return null;
  return (
    <div class="row" role="status">
      {words[value.kind]}
      <progress class="meter sample-progress" aria-label={words.progress} max={1} value={value.progress} />
    </div>
  );
}
