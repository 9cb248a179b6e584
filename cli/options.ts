import { InvalidArgumentError, Option } from 'commander';
import { Failure } from './failure.ts';

export const jsonOption = () => new Option('--json', 'print JSON instead of text');

export const idempotencyKeyOption = () =>
  new Option('--idempotency-key <key>', 'makes the command safe to repeat: the same key takes effect once');

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** The rate of a key as two options say it; undefined: the default of the service. */
export function rateOf(
  requests: number | undefined,
  windowSeconds: number | undefined,
): { readonly requests: number; readonly windowSeconds?: number } | undefined {
  if (requests !== undefined) return { requests, windowSeconds };
  if (windowSeconds === undefined) return undefined;
  throw new Failure('usage', '--rate-window is the length of the window of --rate-limit: give both.');
}
