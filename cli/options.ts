import { type Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from './failure.ts';

export const jsonOption = () => new Option('--json', 'print JSON instead of text');

/** For the parts of a command, except these. */
export function withJson(command: Command, ...except: readonly string[]): Command {
  for (const part of command.commands) if (!except.includes(part.name())) part.addOption(jsonOption());
  return command;
}

export const idempotencyKeyOption = () =>
  new Option('--idempotency-key <key>', 'makes the command safe to repeat: the same key takes effect once');

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

const SECONDS_IN = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** `90s`, `30m`, `12h`, `7d`. @returns seconds */
export function duration(value: string): number {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  if (!number) throw new InvalidArgumentError('It must be a number with s, m, h or d, such as 12h.');
  return Number(number) * SECONDS_IN[unit as keyof typeof SECONDS_IN];
}

/** The largest unit that shows them as a whole number: `7d`. */
export function inUnit(seconds: number): string {
  const [unit, size] = Object.entries(SECONDS_IN).findLast(([, each]) => seconds % each === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/** A key's rate, from two options; undefined: the service's default. */
export function rateOf(
  requests: number | undefined,
  windowSeconds: number | undefined,
): { readonly requests: number; readonly windowSeconds?: number } | undefined {
  if (requests !== undefined) return { requests, windowSeconds };
  if (windowSeconds === undefined) return undefined;
  throw new Failure('usage', '--rate-window is the window length for --rate-limit: give both.');
}
