import type { ErrorDetail } from '@worktrack/contracts/errors';
import { spelledOut } from '@worktrack/runtime/validation/parse';

/** Exit codes, documented in docs/cli.md. */
export const EXIT = { refused: 1, usage: 2, unreachable: 3, nothing: 4 } as const;

/** Ends the command with one line on standard error that says what to do. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[kind];
  }
}

/** What a refusal calls a field, as the command line calls it: an option, or the item that comes without one. */
export function inFlags(text: string, fields: readonly string[], placed: Readonly<Record<string, string>>): string {
  return fields.reduce((words, field) => {
    const flag = placed[field] ?? `--${kebab(field)}`;
    // A name of one word may be a word of the sentence, unless it is followed by what only a field has.
    const isName = /[A-Z]/.test(field) ? '' : '(?=:|\\.\\w)';
    return words
      .replaceAll(new RegExp(`\\b${field}: true\\b`, 'g'), flag)
      .replaceAll(new RegExp(`(?<![\\w-])${field}\\b${isName}`, 'g'), flag);
  }, text);
}

export const kebab = (field: string) => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A refusal's message, and those of its details that the message does not already contain: it names only the first ones. */
export function refusalWords(message: string, details: readonly ErrorDetail[] = []): string {
  const untold = details.map(spelledOut).filter((spelled) => !` ${message}`.includes(` ${spelled}`));
  return [message, ...untold].map((words) => (/[.?]$/.test(words) ? words : `${words}.`)).join(' ');
}
