/**
 * What a spool costs a gateway while nothing is away, so that nothing is in it.
 * `npm run bench -- spool [--starts 8] [--rounds 4] [--requests 1000]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSides, SIZES } from './profile/beside.ts';

const { values } = parseArgs({ options: SIZES });
const folder = mkdtempSync(join(tmpdir(), 'worktrack-bench-spool-'));
try {
  await compareSides(
    [
      { name: 'without a spool', env: {} },
      { name: 'with a spool', env: { FEEDBACK_SPOOL_DIR: folder } },
    ],
    { ...values, of: ['ingest'] },
  );
} finally {
  rmSync(folder, { recursive: true });
}
