import { words as ofCards } from '../board/messages.ts';
import { timed } from '../clock.ts';
import { fromNow, percent, roughly } from '../language/format.ts';
import { useBusy } from '../parts/busy.ts';
import { to } from '../router.ts';
import { may } from '../session.ts';
import { release } from './acts.ts';
import type { HeldItem, Urgency } from './leases.ts';
import { words } from './messages.ts';
import { Question } from './question.tsx';
import { Select, type Selection } from './selection.tsx';

const TONES: Readonly<Record<Urgency, string>> = {
  stalled: 'tag tag-bad',
  awaiting_input: 'tag tag-warn',
  working: 'tag tag-good',
};

interface HeldByProps {
  readonly item: HeldItem;
  readonly urgency: Urgency;
  readonly keyName: string;
  readonly projectName: string | undefined;
  readonly selection: Selection;
}

/** One agent and the item it holds. */
export function HeldBy({ item, urgency, keyName, projectName, selection }: HeldByProps) {
  const { taskId, title, lease } = item;
  return (
    <li class="panel agents-one">
      <div class="row agents-head">
        {may('work-items:write') && <Select what={`${lease.agent}: ${taskId}`} items={[item]} selection={selection} />}
        <h3>{lease.agent}</h3>
        <span class={TONES[urgency]}>{words[urgency]}</span>
        {may('work-items:write') && <Release item={item} />}
      </div>
      <p>
        {projectName && <span class="quiet">{projectName} ›</span>} <a href={to(`items/${taskId}`)}>{taskId}</a>{' '}
        <bdi>{title}</bdi>
      </p>
      {lease.note && <p class="agents-note">{lease.note}</p>}
      {lease.progress !== null && (
        <div class="row">
          <progress class="meter agents-progress" max={1} value={lease.progress} aria-label={ofCards.progress} />
          <span class="quiet">{percent(lease.progress)}</span>
        </div>
      )}
      {lease.state === 'awaiting_input' && <Question item={item} />}
      <ul class="plain row quiet agents-facts">
        <li>{timed((nowMs) => words.heard({ time: fromNow(lease.lastHeartbeatAt, nowMs) }))}</li>
        <li>{timed((nowMs) => words.left({ time: fromNow(lease.expiresAt, nowMs) }))}</li>
        <li>{timed((nowMs) => words.since({ time: fromNow(lease.claimedAt, nowMs) }))}</li>
        {lease.tokensSoFar !== null && <li>{words.tokens({ count: roughly(lease.tokensSoFar) })}</li>}
        <li>{words.key({ name: keyName })}</li>
      </ul>
    </li>
  );
}

function Release({ item }: { readonly item: HeldItem }) {
  const { taskId, lease } = item;
  const { isBusy, run } = useBusy(words.notReleased({ task: taskId }));
  return (
    <button
      type="button"
      class="button agents-release"
      aria-label={words.releaseOf({ task: taskId, agent: lease.agent })}
      aria-disabled={isBusy}
      onClick={() => run(() => release([item]))}
    >
      {words.release}
    </button>
  );
}
