import type { linkFeedback, unlinkFeedback } from '@worktrack/contracts/gateway/link';
import { call } from '../api/call.ts';
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
  const { taskId } = await call<typeof linkFeedback>('POST /api/feedback/items/:feedbackId/links', made);
  void readAnew(made.feedbackId);
  did(words.linkedTo({ idea: taskId }), () => unlink(made));
}

/** @throws ServiceError */
export async function unlink(removed: Link): Promise<void> {
  await call<typeof unlinkFeedback>('DELETE /api/feedback/items/:feedbackId/links/:workItemId', removed);
  void readAnew(removed.feedbackId);
}
