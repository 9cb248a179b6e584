import { messages } from '../../language/messages.ts';
import { dropDraft, useDraft } from '../form/draft.ts';
import { TextArea } from '../form/field.tsx';
import { words } from '../messages.ts';
import { Dialog, FormActions } from '../popup/dialog.tsx';

const own = messages({
  whatIsWrongHelp: {
    en: 'Whoever takes the work up again reads it.',
    de: 'Wer die Arbeit wieder aufnimmt, liest es.',
    tr: 'İşi yeniden alan bunu okur.',
    ja: '作業を引き継ぐ人がこれを読みます。',
  },
});

interface ReasonProps {
  readonly taskId: string;
  readonly onSend: (reason: string) => void;
  readonly onClose: () => void;
}

const draftOf = (taskId: string) => `return.${taskId}`;

/** Once it has been sent with the work. */
export function forgetReason(taskId: string): void {
  dropDraft(draftOf(taskId));
}

/** Asks why work goes back, before it does: whoever takes it up again reads the answer. */
export function Reason({ taskId, onSend, onClose }: ReasonProps) {
  const { text, setText } = useDraft(draftOf(taskId));
  const reason = text.trim();
  const send = (event: Event) => {
    event.preventDefault();
    if (reason) onSend(reason);
  };
  return (
    <Dialog title={words.sendBackOf({ taskId })} onClose={onClose}>
      <form class="stack" onSubmit={send}>
        <TextArea
          label={words.whatIsWrong}
          help={own.whatIsWrongHelp}
          rows={3}
          maxLength={2_000}
          autofocus
          value={text}
          onChange={setText}
        />
        <FormActions action={words.sendBack} isReady={reason !== ''} onClose={onClose} />
      </form>
    </Dialog>
  );
}
