import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import type { answerQuestion } from '@worktrack/contracts/work-items/changes/comment';
import type { ShownLease } from '@worktrack/contracts/work-items/work-item';
import { Answered, useConversation } from '../agents/conversation.tsx';
import { words as agents } from '../agents/messages.ts';
import { call } from '../api/call.ts';
import { words as costs } from '../costs/messages.ts';
import { words as invitations } from '../invitation/messages.ts';
import { dateAndTime, dollars } from '../language/format.ts';
import { Button } from '../parts/button.tsx';
import { useSending } from '../parts/form/sending.ts';
import { PriorityIcon, TypeIcon } from '../parts/item/item-icons.tsx';
import { words as common } from '../parts/messages.ts';
import { useNames } from '../parts/people/people.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { useProjects } from '../parts/project.ts';
import { When } from '../parts/when.tsx';
import { to } from '../router.ts';
import { may } from '../session.ts';
import { words as verdict } from '../verdict/messages.ts';
import { type Acts, isJudged } from './acts.ts';
import { words } from './messages.ts';

interface EntryProps {
  readonly item: ForYouItem;
  readonly isChosen: boolean;
  /** Somebody else has dealt with it. */
  readonly isGone: boolean;
  readonly choose: () => void;
  readonly acts: Acts;
}

/** One thing that needs the user: what it is, why, since when, and what can be done about it. */
export function Entry({ item, isChosen, isGone, choose, acts }: EntryProps) {
  const { workItem, invitation, since } = item;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: for the keyboard there are j and k, and the focus
    <li
      class="for-you-entry"
      aria-current={isChosen}
      onClick={choose}
      // With the mouse only once it is released: then another entry may go, and what is below it move up.
      onFocusCapture={({ target }) => (target as Element).matches(':focus-visible') && choose()}
    >
      <div class="for-you-what">
        <span class="row">
          {workItem && <PriorityIcon priority={workItem.priority} />}
          {workItem && <TypeIcon type={workItem.type} isNamed={false} />}
          {workItem ? (
            <a href={to(`items/${workItem.taskId}`)}>
              <span class="quiet">{workItem.taskId}</span> <bdi>{workItem.title}</bdi>
            </a>
          ) : invitation ? (
            <a href={to('settings/users')}>
              <bdi>{invitation.user.name}</bdi> <span class="quiet">{invitation.user.email}</span>
            </a>
          ) : (
            <ProjectBudget id={item.projectId ?? undefined} />
          )}
          <span class="quiet">
            <When at={since} />
          </span>
        </span>
        {isGone ? (
          <p class="quiet" role="status">
            {words.gone}
          </p>
        ) : (
          <Why item={item} />
        )}
      </div>
      {!isGone && (invitation || (workItem && (item.kind === 'mention' || may('work-items:write')))) && (
        <Choices item={item} acts={acts} />
      )}
    </li>
  );
}

/** The list is of all projects. */
function ProjectBudget({ id }: { readonly id: string | undefined }) {
  const project = useProjects().data?.find((each) => each.id === id);
  return (
    <a href={to('costs', { project: id })}>
      {words.budgetOfProject} <bdi>{project?.name}</bdi>
    </a>
  );
}

function Why({
  item: { kind, workItem, blockedBy, budget, previous, mention, invitation },
}: {
  readonly item: ForYouItem;
}) {
  const { lease, rework } = workItem ?? {};
  if (budget) {
    const { spentUsd, limitUsd } = budget;
    return (
      <p class="quiet">
        {words.spent({ spent: dollars(spentUsd), limit: dollars(limitUsd) })} · {costs.limitHelp}
      </p>
    );
  }
  if (mention) return <Mention {...mention} />;
  if (invitation) {
    const { state, invitedBy, expiresAt } = invitation;
    const until = invitations.invitedBy({ name: invitedBy, time: dateAndTime(expiresAt) });
    return <p class="quiet">{state === 'open' ? until : invitations.ended}</p>;
  }
  if (kind === 'question' && workItem && lease) return <Question id={workItem.id} lease={lease} />;
  if (kind === 'returned' && rework) return <p class="quiet">{words.sentBackBecause({ why: rework.summary })}</p>;
  if (kind === 'stalled' && lease) return <p class="quiet">{words.silent({ agent: lease.agent })}</p>;
  if (kind === 'failed' && previous) return <p class="quiet">{words.gaveUp({ agent: previous.agent })}</p>;
  if (isJudged({ kind }) && previous) return <p class="quiet">{words.handedOver({ agent: previous.agent })}</p>;
  if (blockedBy) {
    return <p class="quiet">{words.blockedBy({ ids: blockedBy.map(({ taskId }) => taskId).join(', ') })}</p>;
  }
  return null;
}

function Mention({ actor, text }: NonNullable<ForYouItem['mention']>) {
  const nameOf = useNames();
  return <p class="quiet">{[actor && (actor.agent ?? nameOf(actor.userId)), text].filter(Boolean).join(': ')}</p>;
}

function Choices({ item, acts }: { readonly item: ForYouItem; readonly acts: Acts }) {
  const { kind } = item;
  const choice = (label: string, run: (chosen: ForYouItem) => void, key?: string, isMain = false) => (
    <Button look={isMain ? 'main' : 'quiet'} text={label} keys={key} onClick={() => run(item)} />
  );
  if (isJudged(item)) {
    return (
      <span class="row">
        {choice(verdict.approve, acts.approve, 'a', true)}
        {choice(common.sendBack, acts.askSendBack, 'x')}
      </span>
    );
  }
  if (kind === 'returned' || kind === 'failed') return choice(words.takeIt, acts.assignToMe, 'i');
  if (kind === 'mention') return choice(words.markRead, acts.markRead);
  if (kind === 'stalled') return choice(agents.release, acts.release);
  if (kind === 'invitation') {
    return (
      <span class="row">
        {choice(invitations.again, acts.askInvite)}
        {choice(invitations.withdraw, acts.withdraw)}
      </span>
    );
  }
  return null;
}

interface QuestionProps {
  readonly id: string;
  readonly lease: ShownLease;
}

function Question(props: QuestionProps) {
  const { agent, question } = props.lease;
  return (
    <>
      <p>
        <strong>{agent}</strong> {question}
      </p>
      <Answered answer={useConversation(props).data?.answer} />
      {may('work-items:write') && <Answer {...props} />}
    </>
  );
}

function Answer({ id, lease }: QuestionProps) {
  const send = async (said: string, begun: ShownLease) => {
    const question = begun.question ?? undefined;
    await call<typeof answerQuestion>('POST /api/work-items/:workItemId/answer', {
      ...{ workItemId: id, text: said, question },
    });
    tell(words.answered({ agent: lease.agent }));
    return true;
  };
  const { field, text, onInput, onSubmit, isDisabled } = useSending(`answer.${id}`, words.notAnswered, lease, send);
  return (
    <form class="row" onSubmit={onSubmit}>
      <label for={field} class="unseen">
        {words.answer}
      </label>
      <input id={field} class="input" placeholder={words.answer} value={text} onInput={onInput} />
      <button type="submit" class="button" aria-disabled={isDisabled}>
        {words.send}
      </button>
    </form>
  );
}
