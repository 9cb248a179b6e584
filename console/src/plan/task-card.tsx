import { words as ofCards } from '../board/messages.ts';
import { now } from '../clock.ts';
import { dollars, duration, percent } from '../language/format.ts';
import { itemWords } from '../parts/item/item-words.ts';
import { memo } from '../parts/memo.ts';
import { to } from '../router.ts';
import type { Task } from './layout.ts';
import { words } from './messages.ts';

interface TaskCardProps {
  readonly task: Task;
  /** Undefined or empty: nothing. */
  readonly waitsFor: string | undefined;
  /** In dollars. */
  readonly cost: number | undefined;
  readonly isCritical: boolean;
  /** Whether Tab reaches it: one task of all, from which arrows lead to the others. */
  readonly isTabStop: boolean;
  readonly onFocus: (taskId: string) => void;
  readonly onPoint: (taskId: string | undefined) => void;
}

export const TaskCard = memo(function TaskCard({
  task,
  waitsFor,
  cost = 0,
  isCritical,
  isTabStop,
  onFocus,
  onPoint,
}: TaskCardProps) {
  const { taskId, title, state, priority, lease, columnName } = task;
  return (
    <li
      class={`plan-task plan-task-${state}`}
      data-task={taskId}
      onFocusCapture={() => onFocus(taskId)}
      onMouseEnter={() => onPoint(taskId)}
      onMouseLeave={() => onPoint(undefined)}
    >
      <span class="quiet plan-task-head">
        {taskId}
        {isCritical && <span class="plan-on-path">{words.onCriticalPath}</span>}
      </span>
      <a href={to(`items/${taskId}`)} tabIndex={isTabStop ? 0 : -1}>
        {title}
      </a>
      <span class="row plan-task-tags">
        {(priority === 'urgent' || priority === 'high') && (
          <span class={`tag ${priority === 'urgent' ? 'tag-bad' : 'tag-warn'}`}>{itemWords[priority]}</span>
        )}
        {state === 'rework' && <span class="tag tag-warn">{words.rework}</span>}
        {(state === 'in_review' || state === 'done') && <span class="tag tag-good">{columnName}</span>}
        {lease && <span class="tag tag-accent">{lease.agent}</span>}
        {lease?.stalled && <span class="tag tag-bad">{itemWords.stalled}</span>}
        {lease?.state === 'awaiting_input' && <span class="tag tag-warn">{itemWords.awaiting_input}</span>}
        {cost > 0 && (
          <span class="tag">
            <span class="unseen">{ofCards.costSoFar}: </span>
            {dollars(cost)}
          </span>
        )}
      </span>
      {lease && <LeaseView lease={lease} />}
      {waitsFor && <span class="quiet">{words.waitsFor({ items: waitsFor })}</span>}
    </li>
  );
});

function LeaseView({ lease }: { readonly lease: NonNullable<Task['lease']> }) {
  const leftMs = Date.parse(lease.expiresAt) - now.value;
  return (
    <>
      {lease.progress !== null && (
        <progress class="meter" aria-label={ofCards.progress} max={1} value={lease.progress} />
      )}
      <span class="quiet">
        {leftMs > 0 ? ofCards.timeLeft({ time: duration(leftMs) }) : ofCards.expired}
        {lease.progress !== null && ` · ${percent(lease.progress)}`}
      </span>
    </>
  );
}
