import { InvalidArgumentError, Option } from 'commander';

export const jsonOption = () => new Option('--json', 'print JSON instead of text');

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
