import type { readNotifications } from '@worktrack/contracts/events/notifications';
import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { updateWorkItem } from '@worktrack/contracts/work-items/changes/update';
import { useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { attempt } from '../parts/busy.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { identity, may } from '../session.ts';
import { words as verdict } from '../verdict/messages.ts';
import { giveVerdict, type Said } from '../verdict/verdict.tsx';
import { words } from './messages.ts';

/** What can be done about an entry without leaving the list. */
export interface Acts {
  /** It was dealt with here, and the service's answer is not there yet. */
  isDone(id: string): boolean;
  approve(item: ForYouItem): void;
  askSendBack(item: ForYouItem): void;
  readonly sendingBack: ForYouItem | undefined;
  sendBack(said: Said): void;
  closeSendBack(): void;
  assignToMe(item: ForYouItem): void;
  takeAway(item: ForYouItem): void;
  markRead(item: ForYouItem): void;
  undo(): void;
}

export const isJudged = ({ kind }: ForYouItem): boolean => kind === 'review' || kind === 'validation';

export function useActs(): Acts {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [sendingBack, askSendBack] = useState<ForYouItem>();
  /** How to take back what was done here, the last one at the end. */
  const inverses = useRef<(() => Promise<unknown>)[]>([]);

  const undo = () => {
    const back = inverses.current.pop();
    if (!back) return;
    void attempt(words.notUndone, async () => {
      await back();
      await reread();
      tell(words.undone);
    });
  };
  /** At once in the list, so that the next one can follow at once; what the service refuses comes back. */
  const act = async (item: ForYouItem, what: () => Promise<unknown>, said: string, back?: () => Promise<unknown>) => {
    setDone((ids) => new Set(ids).add(item.id));
    if (back) inverses.current.push(back);
    try {
      await what().catch((error) => {
        inverses.current = inverses.current.filter((each) => each !== back);
        throw error;
      });
      tell(said, back && { label: `${words.undo} (z)`, run: undo });
      await reread();
    } finally {
      setDone((ids) => new Set([...ids].filter((id) => id !== item.id)));
    }
  };
  const judge = (item: ForYouItem, result: 'pass' | 'fail', said: Said) => {
    const { workItem, kind } = item;
    if (!workItem || (kind !== 'review' && kind !== 'validation') || !may('work-items:write')) return;
    const { id, taskId, boardColumnId } = workItem;
    const told = result === 'pass' ? verdict.approved({ taskId }) : verdict.sentBack({ taskId });
    // Past the gate again, which only owners and admins may do.
    const { role } = identity.value?.user ?? {};
    const force = role === 'owner' || role === 'admin';
    const back = () =>
      call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
        ...{ workItemId: id, boardColumnId, takeOver: true },
        ...(force && { force }),
      });
    void attempt(verdict.noVerdict, () => act(item, () => giveVerdict(id, kind, result, said), told, back));
  };
  const change = (item: ForYouItem, what: (id: string) => Promise<unknown>, said: (taskId: string) => string) => {
    const { workItem } = item;
    if (!workItem || !may('work-items:write')) return;
    void attempt(verdict.noVerdict, () => act(item, () => what(workItem.id), said(workItem.taskId)));
  };

  return {
    isDone: (id) => done.has(id),
    approve: (item) => judge(item, 'pass', { summary: verdict.approvedSummary, issues: [] }),
    askSendBack: (item) => void (isJudged(item) && may('work-items:write') && askSendBack(item)),
    sendingBack,
    sendBack(said) {
      if (sendingBack) judge(sendingBack, 'fail', said);
      askSendBack(undefined);
    },
    closeSendBack: () => askSendBack(undefined),
    assignToMe: (item) =>
      change(
        item,
        (id) => call<typeof updateWorkItem>('PATCH /api/work-items/:id', { id, assignee: 'me' }),
        (taskId) => words.taken({ taskId }),
      ),
    takeAway: (item) =>
      change(
        item,
        (workItemId) =>
          call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
            ...{ workItemId, boardColumnId: 'To Do', takeOver: true },
          }),
        (taskId) => words.takenAway({ taskId }),
      ),
    markRead: (item) => {
      const ids = [item.id.slice('mention/'.length)];
      const read = () => call<typeof readNotifications>('POST /api/notifications/read', { ids });
      void attempt(words.notRead, () => act(item, read, words.read));
    },
    undo,
  };
}

const reread = () => queries.invalidateQueries({ queryKey: ['for-you'] });
