import { Loaded } from '../parts/page/states.tsx';
import { may } from '../session.ts';
import { AnswerForm } from './answer-form.tsx';
import { Answered, useConversation } from './conversation.tsx';
import type { HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** What an agent is waiting for, and where to answer it. */
export function Question({ item }: { readonly item: HeldItem }) {
  const conversation = useConversation(item);
  return (
    <div class="agents-question">
      <h3>{words.question}</h3>
      <Loaded query={conversation}>
        {({ question, answer }) => (
          <>
            <p class="agents-text">{item.lease.question ?? question ?? words.noQuestion}</p>
            <Answered answer={answer} />
            {may('work-items:write') && <AnswerForm items={[item]} />}
          </>
        )}
      </Loaded>
    </div>
  );
}
