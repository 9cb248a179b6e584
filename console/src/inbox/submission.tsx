import type { getFeedback, updateFeedback } from '@worktrack/contracts/feedback/inbox';
import type { FeedbackItem, Status } from '@worktrack/contracts/feedback/records';
import { call } from '../api/call.ts';
import { mayCreate } from '../create/open.ts';
import { dateAndTime } from '../language/format.ts';
import { attempt } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { Fact } from '../parts/fact.tsx';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { did, inTurn } from '../parts/popup/undo.ts';
import { may } from '../session.ts';
import { Erase } from './erase.tsx';
import { readAnew, STATUS_KEYS } from './feedback.ts';
import { LinkDialog } from './link-dialog.tsx';
import { LinkedIdea } from './linked-idea.tsx';
import { words } from './messages.ts';
import { NewIdea } from './new-idea.tsx';

/** What is to be done with a submission, in a dialog. */
export interface Asking {
  readonly what: 'link' | 'idea' | 'erase';
  readonly item: FeedbackItem;
}

interface SubmissionProps {
  readonly item: FeedbackItem;
  /** Goes on to the next one. */
  readonly next: () => void;
  readonly ask: (asking: Asking) => void;
}

/** One submission. What the public wrote is shown as text and nothing else: no link in it can be followed. */
export function Submission({ item, next, ask }: SubmissionProps) {
  const isWriter = may('feedback:write');
  const mayLink = isWriter && may('work-items:read');
  const mayMake = mayLink && mayCreate();

  const setStatus = (status: Status) => {
    if (status === item.status) return;
    // Go on at once: somebody triaging does not wait for an answer, and is told about a refusal.
    next();
    void triage(item, status);
  };
  const setOpen = (what: Asking['what']) => ask({ what, item });
  const keys = [
    ...Object.entries(STATUS_KEYS).map(([key, status]) => ({
      keys: key,
      label: words.setTo({ status: words[status] }),
      run: () => setStatus(status),
    })),
    ...(mayLink ? [{ keys: 'l', label: words.link, run: () => setOpen('link') }] : []),
    ...(mayMake ? [{ keys: 'i', label: words.makeIdea, run: () => setOpen('idea') }] : []),
    { keys: 'x', label: words.erase, run: () => setOpen('erase') },
  ];
  useShortcuts(isWriter ? keys : []);

  return (
    <article class="panel stack">
      <p class={item.erasedAt ? 'quiet' : 'inbox-message'} dir="auto">
        {item.erasedAt ? words.erased : item.message}
      </p>
      <dl class="inbox-facts">
        {!isWriter && <Fact name={words.status}>{words[item.status]}</Fact>}
        <Fact name={words.category}>{words[item.category]}</Fact>
        <Fact name={words.received}>{dateAndTime(item.createdAt)}</Fact>
        <Fact name={words.from}>{item.email}</Fact>
        <Fact name={words.page}>{item.pageUrl}</Fact>
      </dl>
      {item.linkedWorkItemIds.length > 0 && may('work-items:read') && (
        <div>
          <h2>{words.ideas}</h2>
          <ul class="plain">
            {item.linkedWorkItemIds.map((id) => (
              <LinkedIdea key={id} feedbackId={item.id} id={id} mayUnlink={mayLink} />
            ))}
          </ul>
        </div>
      )}
      {isWriter && (
        <>
          <fieldset class="row" aria-label={words.status}>
            {Object.entries(STATUS_KEYS).map(([key, status]) => (
              <Button
                key={key}
                look="quiet"
                text={words[status]}
                keys={key}
                aria-pressed={item.status === status}
                onClick={() => setStatus(status)}
              />
            ))}
          </fieldset>
          <div class="row">
            {mayLink && <Button text={words.link} keys="l" onClick={() => setOpen('link')} />}
            {mayMake && <Button text={words.makeIdea} keys="i" onClick={() => setOpen('idea')} />}
            {!item.erasedAt && (
              <Button
                class="button button-quiet button-bad"
                text={words.erase}
                keys="x"
                onClick={() => setOpen('erase')}
              />
            )}
          </div>
        </>
      )}
    </article>
  );
}

/** Says so, and offers to take it back. */
export const triage = ({ id, status: before }: FeedbackItem, status: Status): Promise<void> =>
  attempt(words.notChanged, () =>
    inTurn(async () => {
      await write(id, status);
      did(words.changed({ status: words[status] }), async () => {
        const current = await call<typeof getFeedback>('GET /api/feedback/items/:id', { id });
        if (current.status !== status) throw new Error(words.overtaken);
        await write(id, before);
      });
    }),
  );

async function write(id: string, status: Status): Promise<void> {
  await call<typeof updateFeedback>('PATCH /api/feedback/items/:id', { id, status });
  void readAnew(id);
}

export function Asked({ what, item, onClose }: Asking & { readonly onClose: () => void }) {
  if (what === 'link') return <LinkDialog feedbackId={item.id} onClose={onClose} />;
  if (what === 'idea') return <NewIdea item={item} onClose={onClose} />;
  return item.erasedAt ? null : <Erase item={item} onClose={onClose} />;
}
