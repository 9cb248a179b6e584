import type { Output } from '@worktrack/contracts/operation';
import type { addWorkItemComment } from '@worktrack/contracts/work-items/changes/comment';
import type { getWorkItemEvents } from '@worktrack/contracts/work-items/events';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { isRecord } from '../api/service-error.ts';
import { dateAndTime, dollars, roughly } from '../language/format.ts';
import { useBusy } from '../parts/busy.ts';
import { Editor } from '../parts/editor/editor.tsx';
import { useDraft } from '../parts/form/draft.ts';
import { words as common } from '../parts/messages.ts';
import { Loaded } from '../parts/page/states.tsx';
import { useKeyNames } from '../parts/people/key-names.ts';
import { useNames } from '../parts/people/people.ts';
import { Markdown } from '../parts/text/markdown.tsx';
import { may } from '../session.ts';
import { attachTo } from './attach.ts';
import { words } from './messages.ts';
import { Part } from './relations.tsx';

type HistoryEntry = Output<typeof getWorkItemEvents>['events'][number];

const FIRST_SHOWN = 50;
/** The most that the service returns. */
const MOST_SHOWN = 200;

/** What happened to an item, newest first, as it happens; and where to comment on it. */
export function History({ item }: { readonly item: WorkItem }) {
  const [limit, setLimit] = useState(FIRST_SHOWN);
  const nameOf = useNames();
  const keyName = useKeyNames();
  const history = useQuery({
    key: ['history', item.id, limit],
    load: (signal) =>
      call<typeof getWorkItemEvents>(
        'GET /api/work-items/:workItemId/events',
        { workItemId: item.id, limit },
        { signal },
      ),
    follows: ({ subject }) => subject.id === item.id,
    keepsEarlier: true,
  });
  return (
    <Part title={words.history} class="item-activity">
      {may('work-items:write') && <Comment item={item} />}
      <Loaded query={history}>
        {({ events, totalEvents }) => (
          <>
            <ol class="plain history">
              {events.map((entry) => (
                <li key={entry.id}>
                  <p>
                    {sentenceOf(entry, nameOf(entry.actor.userId))}{' '}
                    <span class="quiet">{keyName(entry.actor.keyId, '')}</span>{' '}
                    <time class="quiet" dateTime={entry.createdAt}>
                      {dateAndTime(entry.createdAt)}
                    </time>
                  </p>
                  {entry.eventType === 'comment' && <Markdown text={String(entry.data.text ?? '')} />}
                  {entry.eventType === 'ai_session' && <p class="quiet">{sumOf(entry.data)}</p>}
                </li>
              ))}
            </ol>
            {totalEvents > events.length && (
              <p class="row">
                <span class="quiet">{words.shownOf({ shown: events.length, all: totalEvents })}</span>
                {limit < MOST_SHOWN && (
                  <button type="button" class="button" onClick={() => setLimit(MOST_SHOWN)}>
                    {common.more}
                  </button>
                )}
              </p>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Comment({ item }: { readonly item: WorkItem }) {
  const id = useId();
  const draft = useDraft(`comment.${item.id}`);
  const { isBusy, run } = useBusy(words.notSent);
  const { text } = draft;
  const send = async () => {
    if (!text.trim()) return;
    await run(async () => {
      await call<typeof addWorkItemComment>('POST /api/work-items/:workItemId/comments', { workItemId: item.id, text });
      draft.clear();
      await queries.invalidateQueries({ queryKey: ['history', item.id] });
    });
  };
  return (
    <div class="stack history-comment">
      <Editor
        aria-label={words.comment}
        aria-describedby={`${id}-help`}
        placeholder={words.commentHint}
        rows={3}
        maxLength={10_000}
        projectId={item.projectId}
        value={text}
        onChange={draft.setText}
        onSubmit={() => void send()}
        attach={attachTo(item)}
      />
      <div class="row">
        <span id={`${id}-help`} class="field-help">
          {words.commentHelp}
        </span>
        <button
          type="button"
          class={text.trim() ? 'button button-main' : 'button'}
          aria-disabled={isBusy || !text.trim()}
          onClick={() => void send()}
        >
          {words.send}
        </button>
      </div>
    </div>
  );
}

function sentenceOf({ eventType, data }: HistoryEntry, who: string): string {
  switch (eventType) {
    case 'created':
      return words.didCreate({ who });
    case 'updated':
      return words.didUpdate({ who, fields: isRecord(data.changes) ? Object.keys(data.changes).join(', ') : '' });
    case 'moved': {
      const [from, to] = [String(data.fromColumn), String(data.toColumn)];
      return data.isAutoSync ? words.didFollow({ from, to }) : words.didMove({ who, from, to });
    }
    case 'comment':
      return words.didComment({ who });
    case 'attachment_added':
      return words.didAttach({ who, name: String(data.fileName) });
    case 'attachment_removed':
      return words.didDetach({ who, name: String(data.fileName) });
    case 'ai_session':
      return words.didSession({ who, model: String(data.model) });
    case 'deleted':
      return words.didDelete({ who });
  }
}

function sumOf({ totalTokens, estimatedCost }: Readonly<Record<string, unknown>>): string {
  const parts = typeof totalTokens === 'number' ? [`${roughly(totalTokens)} ${words.tokens}`] : [];
  if (Number(estimatedCost) >= 0) parts.push(dollars(Number(estimatedCost)));
  return parts.join(' · ');
}
