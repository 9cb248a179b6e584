import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandsWithKey } from './commands.ts';

interface Told {
  readonly option: string;
  readonly help: string;
}

const optionsOf = (command: Command, path: string): Told[] => [
  ...command.options.map(({ flags, description }) => ({ option: `${path} ${flags}`, help: description })),
  ...command.commands.flatMap((each) => optionsOf(each, `${path} ${each.name()}`)),
];
const all = Object.entries(commandsWithKey).flatMap(([name, make]) => optionsOf(make(), name));

test('every option of every command has a help text', () => {
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(({ help }) => help === '')).toEqual([]);
});

test('help is in the words of the command line: it names no routes, and options as they are written', () => {
  const foreign = /^(?!Markdown)[A-Z][a-z]|\b(?:GET|POST|PATCH) \/|\b(?:leaseState|setAiProcessing)\b|null.*"null"/;
  expect(all.filter(({ help }) => foreign.test(help))).toEqual([]);
});

test('what changes something says no default of what is not given, but for the project that it is in', () => {
  const updates = all.filter(({ option }) => /^\w+ update /.test(option));
  expect(updates.length).toBeGreaterThan(20);
  const ofNewOnes = /default: (?!WORKTRACK_PROJECT_ID)|\(default\)/i;
  expect(updates.filter(({ help }) => ofNewOnes.test(help))).toEqual([]);
});
