import { Reason } from '../parts/item/reason.tsx';
import { words as common } from '../parts/messages.ts';
import { Refused, said } from '../parts/page/states.tsx';
import { Confirm } from '../parts/popup/dialog.tsx';
import { askNext, type Question } from './ask.ts';
import { words } from './messages.ts';

/** The dialog of a question. */
export function Asked({ of }: { readonly of: Question }) {
  // Closing comes before what was confirmed.
  let isAnswered = false;
  const answer = (give: () => void) => {
    if (isAnswered) return;
    isAnswered = true;
    give();
    askNext();
  };
  if (of.kind === 'reason') {
    return (
      <Reason
        taskId={of.what}
        onSend={(reason) => answer(() => of.answer(reason))}
        onClose={() => answer(() => of.answer(undefined))}
      />
    );
  }
  const texts =
    of.kind === 'anyway'
      ? { title: words.anywayTitle, action: of.isMove ? words.moveAnyway : words.anyway }
      : { title: `${common.delete}: ${of.what}`, action: common.delete };
  return (
    <Confirm
      {...texts}
      text={of.kind === 'anyway' ? <Refused {...said(of.why)} /> : of.text}
      onConfirm={() => answer(() => of.answer(true))}
      onClose={() => answer(() => of.answer(false))}
    />
  );
}
