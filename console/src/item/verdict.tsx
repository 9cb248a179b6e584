import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useState } from 'preact/hooks';
import { queries } from '../api/query.ts';
import { useBusy } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { useBoardOf } from '../parts/item/item.ts';
import { words as common } from '../parts/messages.ts';
import { useShortcuts } from '../parts/page/shortcuts.ts';
import { inTurn } from '../parts/popup/undo.ts';
import { may } from '../session.ts';
import { words as verdict } from '../verdict/messages.ts';
import { giveVerdict, type Said, SendBack } from '../verdict/verdict.tsx';
import { words } from './messages.ts';

const JUDGED = ['review', 'testing', 'validating'] as const;
/** Between the two presses of one who presses twice. */
const SECOND_PRESS_MS = 500;
type Judged = (typeof JUDGED)[number];

/** For work that was handed over: whether it is good enough, by the operations that agents use. */
export function Verdict({ item }: { readonly item: WorkItem }) {
  const board = useBoardOf(item);
  const role = board.data?.columns.find(({ id }) => id === item.boardColumnId)?.role;
  const busy = useBusy(verdict.noVerdict);
  const isJudged = JUDGED.includes(role as Judged) && item.type === 'task' && may('work-items:write');
  return isJudged ? <Bar key={item.boardColumnId} item={item} role={role as Judged} busy={busy} /> : null;
}

interface BarProps {
  readonly item: WorkItem;
  readonly role: Judged;
  /** From one gate to the next. */
  readonly busy: ReturnType<typeof useBusy>;
}

function Bar({ item, role, busy: { isBusy, run } }: BarProps) {
  const { taskId } = item;
  // As it was when it was judged, whatever it becomes while the reasons are written.
  const [returned, sendBack] = useState<WorkItem>();
  const give = async (judged: WorkItem, result: 'pass' | 'fail', said: Said) => {
    let isGiven = false;
    await run(async () => {
      await inTurn(() => giveVerdict(judged, role === 'review' ? 'review' : 'validation', result, said));
      isGiven = true;
      const next = queries.invalidateQueries({ queryKey: ['item'] });
      if (result === 'fail') return;
      // A second press is not meant for the next gate, which is shown by now.
      await next;
      await new Promise((resolve) => setTimeout(resolve, SECOND_PRESS_MS));
    });
    sendBack(undefined);
    return isGiven;
  };
  const approve = () => void give(item, 'pass', { summary: verdict.approvedSummary, issues: [] });
  const askSendBack = () => sendBack(item);
  useShortcuts([
    { keys: 'a', label: verdict.approve, run: approve },
    { keys: 'x', label: common.sendBack, run: askSendBack },
  ]);
  return (
    <section class="verdict panel row" aria-label={words.verdict}>
      <span>{words.waitsForVerdict({ column: item.columnName })}</span>
      <span class="row">
        <Button look="main" text={verdict.approve} keys="a" aria-disabled={isBusy} onClick={approve} />
        <Button look="bad" text={common.sendBack} keys="x" aria-disabled={isBusy} onClick={askSendBack} />
      </span>
      {returned && (
        <SendBack
          taskId={taskId}
          isBusy={isBusy}
          onSend={(said) => give(returned, 'fail', said)}
          onClose={() => sendBack(undefined)}
        />
      )}
    </section>
  );
}
