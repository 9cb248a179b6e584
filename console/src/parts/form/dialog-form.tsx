import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useSubmit } from '../busy.ts';
import { words } from '../messages.ts';
import { FormActions } from '../popup/dialog.tsx';
import { FormFailed, Refusal } from './form-failed.tsx';

interface DialogFormProps {
  /** What it does, on its button. */
  readonly action: string;
  /** Nothing brings back what it takes away. */
  readonly isBad?: boolean;
  /** What is said, before the service's own words, if that fails. */
  readonly failed?: string;
  /** It is complete. */
  readonly isReady: boolean;
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** What a dialog asks for: sent once at a time. What is refused is said in it, beside the field of that name if there is one, and what was written stays. */
export function DialogForm({
  action,
  isBad = false,
  failed = words.notChanged,
  isReady,
  onSend,
  onClose,
  children,
}: DialogFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, error, run } = useSubmit();
  const isSendable = isReady && !isBusy;
  const fields = Array.from(form.current?.elements ?? [], (field) => field.getAttribute('name') ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    if (isSendable) void run(onSend);
  };
  return (
    <form ref={form} class="stack" onSubmit={submit}>
      <Refusal.Provider value={error}>{children}</Refusal.Provider>
      <FormFailed what={failed} error={error} fields={fields} />
      <FormActions action={action} isBad={isBad} isReady={isSendable} onClose={onClose} />
    </form>
  );
}
