import type { linkFeedback, unlinkFeedback } from '@worktrack/contracts/gateway/link';
import { call } from '../api/call.ts';
import { tell } from '../parts/popup/toasts.tsx';
import { did } from '../parts/popup/undo.ts';
import { readAnew } from './feedback.ts';
import { words } from './messages.ts';

interface Link {
  readonly feedbackId: string;
  /** The idea's. */
  readonly workItemId: string;
}

/** @throws ServiceError */
export async function link(made: Link): Promise<void> {
  const { taskId } = await store(made);
  did(words.linkedTo({ idea: taskId }), () => remove(made));
}

/** @param isDeleted the idea is, so that there is no way back; @throws ServiceError */
export async function unlink(removed: Link, isDeleted: boolean): Promise<void> {
  await remove(removed);
  if (isDeleted) tell(words.unlinked);
  else did(words.unlinked, () => store(removed));
}

async function store(made: Link) {
  const stored = await call<typeof linkFeedback>('POST /api/feedback/items/:feedbackId/links', made);
  void readAnew(made.feedbackId);
  return stored;
}

async function remove(removed: Link): Promise<void> {
  await call<typeof unlinkFeedback>('DELETE /api/feedback/items/:feedbackId/links/:workItemId', removed);
  void readAnew(removed.feedbackId);
}
