import type { addWorkItemComment } from '@worktrack/contracts/work-items/changes/comment';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries } from '../../api/query.ts';
import { useBusy } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { Editor } from '../../parts/editor/editor.tsx';
import { useDraft } from '../../parts/form/draft.ts';
import { words as common } from '../../parts/messages.ts';
import { More } from '../../parts/page/more.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { may } from '../../session.ts';
import { useAttach } from '../attachments/attach.ts';
import { words } from '../messages.ts';
import { Part } from '../part.tsx';
import { Entry } from './entry.tsx';
import { FIRST_SHOWN, usePast, useWholePast } from './past.ts';

/** What happened to an item, newest first, as it happens; and where to comment on it. */
export function History({ item }: { readonly item: WorkItem }) {
  const [isLong, setLong] = useState(false);
  const latest = usePast(item.id, { limit: FIRST_SHOWN });
  const whole = useWholePast(item.id, isLong);
  return (
    <Part title={words.history} class="item-activity">
      {may('work-items:write') && <Comment item={item} />}
      <Loaded query={latest}>
        {(first) => {
          const pages = whole.data?.pages ?? [first];
          const events = pages.flatMap((page) => page.events);
          const all = pages[0]?.totalEvents ?? 0;
          return (
            <>
              <ol class="plain history">
                {events.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ol>
              {all > events.length && (
                <p class="row">
                  <span class="quiet">{words.shownOf({ shown: events.length, all })}</span>
                  {!isLong && <Button text={common.more} onClick={() => setLong(true)} />}
                  {isLong && <More of={whole} />}
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Part>
  );
}

function Comment({ item }: { readonly item: WorkItem }) {
  const id = useId();
  const draft = useDraft(`comment.${item.id}`);
  const { isBusy, run } = useBusy(words.notSent);
  const { attach, isStoring } = useAttach(item);
  const { text } = draft;
  const isReady = text.trim() !== '' && !isStoring;
  const send = async () => {
    if (!isReady) return;
    await run(async () => {
      await call<typeof addWorkItemComment>('POST /api/work-items/:workItemId/comments', { workItemId: item.id, text });
      draft.clear();
      tell(words.sent);
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
        attach={attach}
      />
      <div class="row">
        <span id={`${id}-help`} class="field-help">
          {words.commentHelp}
        </span>
        <button
          type="button"
          class={text.trim() ? 'button button-main' : 'button'}
          aria-disabled={isBusy || !isReady}
          onClick={() => void send()}
        >
          {words.send}
        </button>
      </div>
    </div>
  );
}
