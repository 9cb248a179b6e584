import type { completeReview, completeValidation } from '@worktrack/contracts/work-items/agents/completions';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { getWorkItem } from '@worktrack/contracts/work-items/get';
import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { words as change } from '../change/messages.ts';
import { useDraft } from '../parts/form/draft.ts';
import { TextArea } from '../parts/form/field.tsx';
import { words as common } from '../parts/messages.ts';
import { Dialog, FormActions } from '../parts/popup/dialog.tsx';
import { did } from '../parts/popup/undo.ts';
import { leads } from '../session.ts';
import { words } from './messages.ts';

export interface Said {
  readonly summary: string;
  readonly issues: readonly string[];
}

/** In the version that was read: what was handed over anew since has not been judged. */
type Judged = Pick<WorkItemSummary, 'id' | 'taskId' | 'boardColumnId' | 'assignee'> & {
  readonly version: number | undefined;
};

/** By the operations that agents use; says so, and offers to take it back. @param kind what the work waits for */
export async function giveVerdict(
  { id: workItemId, taskId, boardColumnId, assignee, version }: Judged,
  kind: 'review' | 'validation',
  result: 'pass' | 'fail',
  { summary, issues }: Said,
): Promise<void> {
  const verdict = { workItemId, result, summary, issues: [...issues] };
  const { movedTo } =
    kind === 'review'
      ? await call<typeof completeReview>('POST /api/work-items/:workItemId/review', verdict, { version })
      : await call<typeof completeValidation>('POST /api/work-items/:workItemId/validation', verdict, { version });
  did(result === 'pass' ? words.approved({ taskId }) : words.sentBack({ taskId }), async () => {
    const now = await call<typeof getWorkItem>('GET /api/work-items/:id', { id: workItemId });
    // Whoever has taken it up since keeps it.
    if (now.columnName !== movedTo || now.assignee !== assignee || now.lease) {
      throw new Error(change.overtaken({ what: taskId }));
    }
    // Past the gate again, which only owners and admins may do.
    const how = { boardColumnId, ...(leads.value && { force: true }) };
    await call<typeof moveWorkItem>(
      'POST /api/work-items/:workItemId/move',
      { workItemId, ...how },
      { version: now.version },
    );
    // Works even when there is no stream of events.
    for (const name of ['for-you', 'item']) void queries.invalidateQueries({ queryKey: [name] });
  });
}

interface SendBackProps {
  readonly taskId: string;
  readonly isBusy: boolean;
  /** @returns whether it was recorded: until then what was written is kept */
  readonly onSend: (said: Said) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Asks why: whoever takes the work up again reads it. */
export function SendBack({ taskId, isBusy, onSend, onClose }: SendBackProps) {
  const summary = useDraft(`return.${taskId}`);
  const issues = useDraft(`issues.${taskId}`);
  const isReady = summary.text.trim() !== '' && !isBusy;
  const send = async (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const lines = issues.text.split('\n').flatMap((line) => line.trim() || []);
    if (!(await onSend({ summary: summary.text.trim(), issues: lines }))) return;
    summary.clear();
    issues.clear();
  };
  return (
    <Dialog title={common.sendBackOf({ taskId })} onClose={onClose}>
      <form class="stack" onSubmit={send}>
        <TextArea label={common.whatIsWrong} rows={3} autofocus value={summary.text} onChange={summary.setText} />
        <TextArea label={words.issues} help={words.issuesHelp} rows={3} value={issues.text} onChange={issues.setText} />
        <FormActions action={common.sendBack} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  );
}
