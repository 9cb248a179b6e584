import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const run = (command: string) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '..', '..', 'action', 'run.mjs')], {
    encoding: 'utf8',
    // Nothing answers there.
    env: { WORKTRACK_URL: 'http://127.0.0.1:9', WORKTRACK_COMMAND: command },
  });

test.each([
  ['item create --title "The build fails\nitem list', '"The build fails'],
  ["item create --title It's broken", "'s broken"],
  ['item create --title "a\\"', '"a\\"'],
])('of %s the action says which quote is not closed', (command, rest) => {
  const { status, stderr } = run(command);
  expect(status).toBe(1);
  expect(stderr).toContain(`A quote is not closed in the input command: ${rest} (`);
});

test.each(['item create --title "It\'s \\"broken\\""', "item create --title 'a; b'\nitem list; item list"])(
  'in %s all are closed',
  (command) => expect(run(command).stderr).toContain('Nothing answers at'),
);
