import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandsWithKey } from './commands.ts';

test('every option of every command has a help text', () => {
  const optionsOf = (command: Command, path: string): string[] => [
    ...command.options.map(({ flags, description }) => (description ? '' : `${path} ${flags}`)),
    ...command.commands.flatMap((each) => optionsOf(each, `${path} ${each.name()}`)),
  ];
  const all = commandsWithKey().flatMap((command) => optionsOf(command, command.name()));
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((option) => option !== '')).toEqual([]);
});
