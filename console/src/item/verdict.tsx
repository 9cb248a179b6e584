import type { getBoard } from '@worktrack/contracts/projects/board-operations';
import type { completeReview, completeValidation } from '@worktrack/contracts/work-items/agents/completions';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { useBusy } from '../parts/busy.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { words as common } from '../parts/messages.ts';
import { useShortcuts } from '../parts/shortcuts.tsx';
import { tell } from '../parts/toasts.tsx';
import { may } from '../session.ts';
import { words } from './messages.ts';

const JUDGED = ['review', 'testing', 'validating'] as const;
type Judged = (typeof JUDGED)[number];

interface Said {
  readonly summary: string;
  readonly issues: readonly string[];
}

/** For work that was handed over: whether it is good enough, by the operations that agents use. */
export function Verdict({ item }: { readonly item: WorkItem }) {
  const board = useQuery({
    key: ['board', item.boardId],
    load: (signal) => call<typeof getBoard>('GET /api/boards/:id', { id: item.boardId }, { signal }),
    follows: ({ subject }) => subject.id === item.boardId,
  });
  const role = board.data?.columns.find(({ id }) => id === item.boardColumnId)?.role;
  const isJudged = JUDGED.includes(role as Judged) && item.type === 'task' && may('work-items:write');
  return isJudged ? <Bar key={item.boardColumnId} item={item} role={role as Judged} /> : null;
}

function Bar({ item, role }: { readonly item: WorkItem; readonly role: Judged }) {
  const { id, taskId } = item;
  const [isSendingBack, setSendingBack] = useState(false);
  const { isBusy, run } = useBusy(words.noVerdict);
  const give = (result: 'pass' | 'fail', { summary, issues }: Said, done: string) =>
    run(async () => {
      const verdict = { workItemId: id, result, summary, issues: [...issues] };
      if (role === 'review') await call<typeof completeReview>('POST /api/work-items/:workItemId/review', verdict);
      else await call<typeof completeValidation>('POST /api/work-items/:workItemId/validation', verdict);
      setSendingBack(false);
      void queries.invalidateQueries({ queryKey: ['item'] });
      tell(done);
    });
  const approve = () => void give('pass', { summary: words.approvedSummary, issues: [] }, words.approved({ taskId }));
  const shortcuts = useMemo(
    () => [
      { keys: 'a', label: words.approve, run: approve },
      { keys: 'x', label: common.sendBack, run: () => setSendingBack(true) },
    ],
    [id, role],
  );
  useShortcuts(shortcuts);
  return (
    <section class="verdict panel row" aria-label={words.verdict}>
      <span>{words.waitsForVerdict({ column: item.columnName })}</span>
      <span class="row">
        <button type="button" class="button button-main" aria-keyshortcuts="a" aria-disabled={isBusy} onClick={approve}>
          {words.approve} <kbd>a</kbd>
        </button>
        <button
          type="button"
          class="button button-bad"
          aria-keyshortcuts="x"
          aria-disabled={isBusy}
          onClick={() => setSendingBack(true)}
        >
          {common.sendBack} <kbd>x</kbd>
        </button>
      </span>
      {isSendingBack && (
        <SendBack
          taskId={taskId}
          isBusy={isBusy}
          onSend={(said) => void give('fail', said, words.sentBack({ taskId }))}
          onClose={() => setSendingBack(false)}
        />
      )}
    </section>
  );
}

interface SendBackProps {
  readonly taskId: string;
  readonly isBusy: boolean;
  readonly onSend: (said: Said) => void;
  readonly onClose: () => void;
}

function SendBack({ taskId, isBusy, onSend, onClose }: SendBackProps) {
  const [summary, setSummary] = useState('');
  const [issues, setIssues] = useState('');
  const isReady = summary.trim() !== '' && !isBusy;
  const send = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    onSend({ summary: summary.trim(), issues: issues.split('\n').flatMap((line) => line.trim() || []) });
  };
  return (
    <Dialog title={common.sendBackOf({ taskId })} onClose={onClose}>
      <form
        class="stack"
        onSubmit={send}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
        }}
      >
        <Field label={common.whatIsWrong}>
          {(control) => (
            <textarea
              {...control}
              class="input"
              rows={3}
              autofocus
              value={summary}
              onInput={({ currentTarget }) => setSummary(currentTarget.value)}
            />
          )}
        </Field>
        <Field label={words.issues} help={words.issuesHelp}>
          {(control) => (
            <textarea
              {...control}
              class="input"
              rows={3}
              value={issues}
              onInput={({ currentTarget }) => setIssues(currentTarget.value)}
            />
          )}
        </Field>
        <FormActions action={common.sendBack} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}
