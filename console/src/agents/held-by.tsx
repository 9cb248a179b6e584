import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { now } from '../clock.ts';
import { fromNow, percent, roughly } from '../language/format.ts';
import { useBusy } from '../parts/busy.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { to } from '../router.ts';
import { may } from '../session.ts';
import { type HeldItem, type Urgency, urgencyOf } from './leases.ts';
import { words } from './messages.ts';
import { Question } from './question.tsx';

/** Where an item goes that is taken from its agent. */
const PENDING = 'To Do';

const TONES: Readonly<Record<Urgency, string>> = {
  stalled: 'tag tag-bad',
  awaiting_input: 'tag tag-warn',
  working: 'tag tag-good',
};

/** One agent and the item it holds. */
export function HeldBy({ item, keyName }: { readonly item: HeldItem; readonly keyName: string }) {
  const { taskId, title, lease } = item;
  const at = now.value;
  const urgency = urgencyOf(lease, at);
  return (
    <li class="panel agents-one">
      <div class="row agents-head">
        <h2>{lease.agent}</h2>
        <span class={TONES[urgency]}>{words[urgency]}</span>
        {may('work-items:write') && <Release item={item} />}
      </div>
      <p>
        <a href={to(`items/${taskId}`)}>{taskId}</a> {title}
      </p>
      {lease.note && <p class="agents-note">{lease.note}</p>}
      {lease.progress !== null && (
        <div class="row">
          <progress class="meter agents-progress" max={1} value={lease.progress} aria-label={words.progress} />
          <span class="quiet">{percent(lease.progress)}</span>
        </div>
      )}
      {lease.state === 'awaiting_input' && <Question item={item} />}
      <ul class="plain row quiet agents-facts">
        <li>{words.heard({ time: fromNow(lease.lastHeartbeatAt, at) })}</li>
        <li>{words.left({ time: fromNow(lease.expiresAt, at) })}</li>
        <li>{words.since({ time: fromNow(lease.claimedAt, at) })}</li>
        {lease.tokensSoFar !== null && <li>{words.tokens({ count: roughly(lease.tokensSoFar) })}</li>}
        <li>{words.key({ name: keyName })}</li>
      </ul>
    </li>
  );
}

/** A person has no lease token, and needs none: a move out of `In Progress` ends the lease. */
function Release({ item: { id, taskId, lease } }: { readonly item: HeldItem }) {
  const { agent } = lease;
  const { isBusy, run } = useBusy(words.notReleased({ task: taskId }));
  const release = () =>
    run(async () => {
      const { toColumn } = await call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
        workItemId: id,
        boardColumnId: PENDING,
        position: 'first',
        takeOver: true,
      });
      // Works even when there is no stream of events.
      void queries.invalidateQueries({ queryKey: ['agents'] });
      tell(words.released({ task: taskId, column: toColumn, agent }));
    });
  return (
    <button
      type="button"
      class="button agents-release"
      aria-label={words.releaseOf({ task: taskId, agent })}
      aria-disabled={isBusy}
      onClick={release}
    >
      {words.release}
    </button>
  );
}
