/**
 * What a spool costs a gateway while nothing is away, so that nothing is in it.
 * `npm run bench -- spool [--rounds 60] [--requests 400]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSides } from './profile/beside.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, requests: { type: 'string', default: '400' } },
});
const folder = mkdtempSync(join(tmpdir(), 'worktrack-bench-spool-'));
try {
  await compareSides(
    [
      { name: 'without a spool', env: {} },
      { name: 'with a spool', env: { FEEDBACK_SPOOL_DIR: folder } },
    ],
    { of: ['ingest'], rounds: Number(values.rounds), requests: Number(values.requests) },
  );
} finally {
  rmSync(folder, { recursive: true });
}
