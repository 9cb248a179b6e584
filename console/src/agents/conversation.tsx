import type { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { timed } from '../clock.ts';
import { fromNow } from '../language/format.ts';
import type { HeldItem } from './leases.ts';
import { words } from './messages.ts';

type Held = Pick<HeldItem, 'id' | 'lease'>;

/** What an agent last asked, and the answers since. */
interface Conversation {
  readonly question: string | undefined;
  readonly answer: { readonly text: string; readonly at: string } | undefined;
}

const COMMENTS_READ = 50;

/** The history marks a question; any later comment answers it. */
async function conversationOf({ id, lease }: Held, signal: AbortSignal): Promise<Conversation> {
  const { events } = await call<typeof getWorkItemEvents>(
    'GET /api/work-items/:workItemId/events',
    { workItemId: id, eventType: 'comment', limit: COMMENTS_READ },
    { signal },
  );
  const asked = events.findIndex(({ data, createdAt }) => data.question === true && createdAt >= lease.claimedAt);
  const answer = asked > 0 ? events[0] : undefined;
  return {
    question: asked < 0 ? undefined : textOf(events[asked]),
    answer: answer && { text: textOf(answer), at: answer.createdAt },
  };
}

const textOf = (event: { readonly data: Record<string, unknown> } | undefined) => String(event?.data.text ?? '');

export function useConversation(item: Held) {
  return useQuery({
    key: ['question', item.id, item.lease.claimedAt, item.lease.question],
    load: (signal) => conversationOf(item, signal),
    // What is asked is told twice.
    follows: ({ type, subject, data }) =>
      type === 'work_item.commented' && subject.id === item.id && data.text !== item.lease.question,
    keepsEarlier: true,
  });
}

/** What has been answered and not heard yet, by whomever: so nobody else answers something else. */
export function Answered({ answer }: { readonly answer: Conversation['answer'] }) {
  return (
    answer && (
      <p class="quiet agents-text">
        {timed((nowMs) => words.yourAnswer({ time: fromNow(answer.at, nowMs), text: answer.text }))}
      </p>
    )
  );
}
