import { useQuery } from '../api/query.ts';
import { timed } from '../clock.ts';
import { fromNow } from '../language/format.ts';
import { Loaded } from '../parts/page/states.tsx';
import { may } from '../session.ts';
import { AnswerForm } from './answer-form.tsx';
import { conversationOf, type HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** What an agent is waiting for, and where to answer it. */
export function Question({ item }: { readonly item: HeldItem }) {
  const conversation = useQuery({
    key: ['question', item.id, item.lease.claimedAt, item.lease.question],
    load: (signal) => conversationOf(item, signal),
    // What is asked is told twice.
    follows: ({ type, subject, data }) =>
      type === 'work_item.commented' && subject.id === item.id && data.text !== item.lease.question,
    keepsEarlier: true,
  });
  return (
    <div class="agents-question">
      <h3>{words.question}</h3>
      <Loaded query={conversation}>
        {({ question, answer }) => (
          <>
            <p class="agents-text">{item.lease.question ?? question ?? words.noQuestion}</p>
            {answer && (
              <p class="quiet agents-text">
                {timed((nowMs) => words.yourAnswer({ time: fromNow(answer.at, nowMs), text: answer.text }))}
              </p>
            )}
            {may('work-items:write') && <AnswerForm items={[item]} />}
          </>
        )}
      </Loaded>
    </div>
  );
}
