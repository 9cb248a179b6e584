import { useSending } from '../parts/form/sending.ts';
import { answer } from './acts.ts';
import { claimOf, type HeldItem } from './leases.ts';
import { words } from './messages.ts';

/** Where one question is answered, or the same one of several agents. */
export function AnswerForm({ items }: { readonly items: readonly HeldItem[] }) {
  const { field, text, onInput, onSubmit, isDisabled } = useSending(
    `answer.${items[0]?.id}`,
    words.notAnswered,
    items,
    (said, begun) =>
      answer(
        items.map((item) => begun.find((earlier) => claimOf(earlier) === claimOf(item)) ?? item),
        said,
      ),
  );
  return (
    <form class="stack" onSubmit={onSubmit}>
      <div class="field">
        <label for={field}>{words.answer}</label>
        <textarea id={field} class="input" value={text} onInput={onInput} />
      </div>
      <div class="row">
        <button type="submit" class="button button-main" aria-disabled={isDisabled}>
          {words.send}
        </button>
      </div>
    </form>
  );
}
