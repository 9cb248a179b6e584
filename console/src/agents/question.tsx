import type { answerQuestion } from '@worktrack/contracts/work-items/changes/comment';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { now } from '../clock.ts';
import { fromNow } from '../language/format.ts';
import { useBusy } from '../parts/busy.ts';
import { Loaded } from '../parts/page/states.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { may } from '../session.ts';
import { conversationOf, type HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** What an agent is waiting for, and where to answer it. */
export function Question({ item }: { readonly item: HeldItem }) {
  const conversation = useQuery({
    key: ['question', item.id, item.lease.claimedAt],
    load: (signal) => conversationOf(item, signal),
    follows: ({ type, subject }) => type === 'work_item.commented' && subject.id === item.id,
  });
  return (
    <div class="agents-question">
      <h3>{words.question}</h3>
      <Loaded query={conversation}>
        {({ question, answer }) => (
          <>
            <p class="agents-text">{question ?? words.noQuestion}</p>
            {answer && (
              <p class="quiet agents-text">
                {words.yourAnswer({ time: fromNow(answer.at, now.value), text: answer.text })}
              </p>
            )}
            {may('work-items:write') && <AnswerForm item={item} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function AnswerForm({ item: { id, lease } }: { readonly item: HeldItem }) {
  const field = useId();
  const [text, setText] = useState('');
  const { isBusy, run } = useBusy(words.notAnswered);
  const send = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void run(async () => {
      await call<typeof answerQuestion>('POST /api/work-items/:workItemId/answer', { workItemId: id, text });
      setText('');
      void queries.invalidateQueries({ queryKey: ['question', id] });
      tell(words.answered({ agent: lease.agent }));
    });
  };
  return (
    <form class="stack" onSubmit={send}>
      <div class="field">
        <label for={field}>{words.answer}</label>
        <textarea id={field} class="input" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      <div class="row">
        <button type="submit" class="button button-main" aria-disabled={isBusy || !text.trim()}>
          {words.send}
        </button>
      </div>
    </form>
  );
}
