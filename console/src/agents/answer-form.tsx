import { useId, useState } from 'preact/hooks';
import { useBusy } from '../parts/busy.ts';
import { answer } from './acts.ts';
import type { HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** Where one question is answered, or the same one of several agents. */
export function AnswerForm({ items }: { readonly items: readonly HeldItem[] }) {
  const field = useId();
  const [text, setText] = useState('');
  const { isBusy, run } = useBusy(words.notAnswered);
  const send = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void run(async () => {
      if (await answer(items, text)) setText('');
    });
  };
  return (
    <form class="stack" onSubmit={send}>
      <div class="field">
        <label for={field}>{words.answer}</label>
        <textarea id={field} class="input" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      <div class="row">
        <button type="submit" class="button button-main" aria-disabled={isBusy || !text.trim()}>
          {words.send}
        </button>
      </div>
    </form>
  );
}
