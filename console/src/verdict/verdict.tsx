import type { completeReview, completeValidation } from '@worktrack/contracts/work-items/agents/completions';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Field } from '../parts/form/field.tsx';
import { words as common } from '../parts/messages.ts';
import { Dialog, FormActions } from '../parts/popup/dialog.tsx';
import { words } from './messages.ts';

export interface Said {
  readonly summary: string;
  readonly issues: readonly string[];
}

/** By the operations that agents use. @param kind what the work waits for */
export async function giveVerdict(
  workItemId: string,
  kind: 'review' | 'validation',
  result: 'pass' | 'fail',
  { summary, issues }: Said,
): Promise<void> {
  const verdict = { workItemId, result, summary, issues: [...issues] };
  if (kind === 'review') await call<typeof completeReview>('POST /api/work-items/:workItemId/review', verdict);
  else await call<typeof completeValidation>('POST /api/work-items/:workItemId/validation', verdict);
}

interface SendBackProps {
  readonly taskId: string;
  readonly isBusy: boolean;
  readonly onSend: (said: Said) => void;
  readonly onClose: () => void;
}

/** Asks why: whoever takes the work up again reads it. */
export function SendBack({ taskId, isBusy, onSend, onClose }: SendBackProps) {
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
