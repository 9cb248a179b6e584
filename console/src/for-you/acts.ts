import type { readNotifications } from '@worktrack/contracts/events/notifications';
import type { ForYouItem } from '@worktrack/contracts/gateway/for-you';
import type { moveWorkItem } from '@worktrack/contracts/work-items/changes/move';
import type { updateWorkItem } from '@worktrack/contracts/work-items/changes/update';
import type { WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import { useState } from 'preact/hooks';
import { words as agents } from '../agents/messages.ts';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { words as invitations } from '../invitation/messages.ts';
import { withdrawInvitation } from '../invitation/withdraw.ts';
import { attempt } from '../parts/busy.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { did, inTurn } from '../parts/popup/undo.ts';
import { may } from '../session.ts';
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
  sendBack(said: Said): Promise<boolean>;
  closeSendBack(): void;
  assignToMe(item: ForYouItem): void;
  release(item: ForYouItem): void;
  markRead(item: ForYouItem): void;
  askInvite(item: ForYouItem): void;
  /** Who is sent another invitation. */
  readonly inviting: Invited | undefined;
  closeInvite(): void;
  withdraw(item: ForYouItem): void;
}

type Invited = NonNullable<ForYouItem['invitation']>['user'];

export const isJudged = ({ kind }: Pick<ForYouItem, 'kind'>): boolean => kind === 'review' || kind === 'validation';

export function useActs(): Acts {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [sendingBack, askSendBack] = useState<ForYouItem>();
  const [inviting, setInviting] = useState<Invited>();

  /** At once in the list, so that the next one can follow at once; what the service refuses comes back. @returns whether it was done */
  const act = async (item: ForYouItem, what: () => Promise<unknown>, failed = verdict.noVerdict) => {
    let isDone = false;
    setDone((ids) => new Set(ids).add(item.id));
    await attempt(failed, async () => {
      await inTurn(what);
      isDone = true;
    });
    await reread();
    setDone((ids) => new Set([...ids].filter((id) => id !== item.id)));
    return isDone;
  };
  const judge = async (item: ForYouItem, result: 'pass' | 'fail', said: Said) => {
    const { workItem, kind, version } = item;
    if (!workItem || (kind !== 'review' && kind !== 'validation') || !may('work-items:write')) return false;
    return act(item, () => giveVerdict({ ...workItem, version }, kind, result, said));
  };
  const change = (item: ForYouItem, what: (workItem: WorkItemSummary) => Promise<unknown>) => {
    const { workItem } = item;
    if (workItem && may('work-items:write')) void act(item, () => what(workItem));
  };

  return {
    isDone: (id) => done.has(id),
    approve: (item) => void judge(item, 'pass', { summary: verdict.approvedSummary, issues: [] }),
    askSendBack: (item) => void (isJudged(item) && may('work-items:write') && askSendBack(item)),
    sendingBack,
    async sendBack(said) {
      askSendBack(undefined);
      return sendingBack !== undefined && judge(sendingBack, 'fail', said);
    },
    closeSendBack: () => askSendBack(undefined),
    assignToMe: (item) =>
      change(item, async ({ id, taskId, assignee }) => {
        await assign(id, 'me');
        did(words.taken({ taskId }), async () => {
          await assign(id, assignee);
          await reread();
        });
      }),
    release: (item) =>
      change(item, async ({ id: workItemId, taskId: task, lease }) => {
        const where = { boardColumnId: 'To Do', takeOver: true };
        const { toColumn: column } = await call<typeof moveWorkItem>('POST /api/work-items/:workItemId/move', {
          ...{ workItemId, ...where },
        });
        tell(agents.released({ task, column, agent: lease?.agent ?? '' }));
      }),
    markRead: (item) => {
      const ids = [item.id.slice('mention/'.length)];
      const read = async () => {
        await call<typeof readNotifications>('POST /api/notifications/read', { ids });
        tell(words.read);
      };
      void act(item, read, words.notRead);
    },
    askInvite: ({ invitation }) => setInviting(invitation?.user),
    inviting,
    closeInvite: () => setInviting(undefined),
    withdraw: (item) => {
      const { user } = item.invitation ?? {};
      if (user) void act(item, () => withdrawInvitation(user), invitations.notWithdrawn);
    },
  };
}

const assign = (id: string, assignee: string | null) =>
  call<typeof updateWorkItem>('PATCH /api/work-items/:id', { id, assignee });

const reread = () => queries.invalidateQueries({ queryKey: ['for-you'] });
