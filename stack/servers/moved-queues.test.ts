import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { erlangString, followMovedQueues } from './moved-queues.ts';

test.each([
  ['/var/lib/worktrack', '"/var/lib/worktrack"'],
  [String.raw`/a "b"\c`, String.raw`"/a \"b\"\\c"`],
  ['/ü', '[47,252]'],
])('%s is %s to Erlang', (text, expected) => {
  expect(erlangString(text)).toBe(expected);
});

/** As RabbitMQ 3.10 leaves it, shortened. */
const config = (before: string, wal: string) => `#{cluster_name => '%2F_events.log',
  system_config =>
      #{data_dir =>
            ${before},
        name => quorum_queues,
        wal_data_dir =>
            ${wal},
        wal_max_entries => undefined},
  uid => <<"2F_EVEUGJR85SXJGIE">>}.
`;

test('a queue finds its files where they are now, however its path was written before', () => {
  const mnesia = mkdtempSync(join(tmpdir(), 'worktrack-moved-'));
  const file = join(mnesia, 'worktrack@localhost/quorum/worktrack@localhost/2F_EVEUGJR85SXJGIE/config');
  mkdirSync(dirname(file), { recursive: true });
  const here = erlangString(dirname(dirname(file)));
  try {
    writeFileSync(file, config(String.raw`"/old \"place\""`, '[47,252,\n             47]'));
    followMovedQueues(mnesia);
    expect(readFileSync(file, 'utf8')).toBe(config(here, here));
  } finally {
    rmSync(mnesia, { recursive: true });
  }
});
