import type { NotificationKind } from '@worktrack/contracts/events/notifications';
import type { NotificationRecord } from '../notifications.model.ts';

/** What one notification says. The names of people and the titles of items are not known to the service. */
export interface Line {
  readonly taskId: string;
  readonly url: string;
  readonly words: string;
}

/** What a channel tells at once. */
export interface Message {
  readonly lines: readonly Line[];
  /** How many more there are, where all of them are shown. */
  readonly more: number;
  readonly allUrl: string;
}

const MAX_LINES = 20;
const MAX_TEXT_LENGTH = 140;
const WORDS: Readonly<Record<NotificationKind, string>> = {
  mention: 'you were mentioned',
  assigned: 'was assigned to you',
  need: 'needs somebody',
  comment: 'has a new comment',
  move: 'was moved',
  change: 'was changed',
};

/** @param publicUrl where clients reach the service */
export function messageOf(told: readonly NotificationRecord[], publicUrl: string): Message {
  const console = `${publicUrl.replace(/\/$/, '')}/console/`;
  const lines = told.slice(0, MAX_LINES).map(({ taskId, kind, text, actor }) => ({
    ...{ taskId, url: `${console}items/${encodeURIComponent(taskId)}` },
    words: [`${WORDS[kind]}${actor?.agent ? ` (agent ${oneLine(actor.agent)})` : ''}`, text && oneLine(text)]
      .filter(Boolean)
      .join(': '),
  }));
  return { lines, more: told.length - lines.length, allUrl: `${console}notifications` };
}

export const moreWords = (more: number) => `${more} more`;

/** What others wrote, in one line without control characters. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const shown = [...plain].slice(0, MAX_TEXT_LENGTH).join('');
  return shown.length < plain.length ? `${shown}…` : shown;
}
