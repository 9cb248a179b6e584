import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** What writing to it gets is ENOSPC. */
const FULL = '/dev/full';

const folder = mkdtempSync(join(tmpdir(), 'worktrack-detach-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.runIf(existsSync(FULL))('a detached stack outlives a full disk, which its log is on', () => {
  const script = join(folder, 'stack.ts');
  writeFileSync(
    script,
    `import { detachedSink } from ${JSON.stringify(join(import.meta.dirname, 'detach.ts'))};
     detachedSink.write('The database ended; restarting it in 0.2 s.\\n');
     setImmediate(() => process.exit(7));`,
  );
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', openSync(FULL, 'w'), 'pipe'] });
  expect(status).toBe(7);
});
