import type { Language } from '@worktrack/contracts/people/languages';
import type { NotificationRecord } from '../notifications.model.ts';
import { WORDS, type Words } from './words.ts';

/** What one notification says. The names of people are not known to the service. */
export interface Line {
  readonly taskId: string;
  /** Empty: not known, of what an earlier version was told. */
  readonly title: string;
  readonly url: string;
  readonly said: string;
}

/** What a channel tells at once. */
export interface Message {
  readonly lines: readonly Line[];
  /** How many more there are, where all of them are shown. */
  readonly more: number;
  readonly allUrl: string;
  readonly words: Words;
}

const MAX_LINES = 20;
const MAX_TEXT_LENGTH = 140;

/** @param publicUrl where clients reach the service */
export function messageOf(
  told: readonly NotificationRecord[],
  publicUrl: string,
  language: Language | undefined,
): Message {
  const words = WORDS[language ?? 'en'];
  const console = `${publicUrl}/console/`;
  const lines = told.slice(0, MAX_LINES).map((each) => ({
    ...{ taskId: each.taskId, title: oneLine(each.title ?? '') },
    ...{ url: `${console}items/${encodeURIComponent(each.taskId)}`, said: saidOf(each, words) },
  }));
  return { lines, more: told.length - lines.length, allUrl: `${console}notifications`, words };
}

export const counted = (text: string, n: number) => text.replace('{n}', String(n));

/** A line without its ID. */
export const told = ({ title, said }: Line) => [title, said].filter(Boolean).join(' · ');

function saidOf({ kind, text = '', actor }: NotificationRecord, { kinds, needs, agent }: Words): string {
  const by = actor?.agent ? ` (${agent} ${oneLine(actor.agent)})` : '';
  const more = kind === 'need' && Object.hasOwn(needs, text) ? needs[text as keyof typeof needs] : oneLine(text);
  return [`${kinds[kind]}${by}`, more].filter(Boolean).join(': ');
}

/** What others wrote, in one line without control characters. */
export function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const shown = [...plain].slice(0, MAX_TEXT_LENGTH).join('');
  return shown.length < plain.length ? `${shown}…` : shown;
}
