import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runToEnd } from './processes/run-to-end.ts';

test('a backup for which there is no room leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'worktrack-backup-'));
  try {
    const [dataDir, backups] = [join(folder, 'data'), join(folder, 'backups')];
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'secrets.json'), '{}');
    writeFileSync(join(dataDir, 'incompressible'), randomBytes(1024 ** 2));
    // No file may become larger than 64 of its blocks, of 512 or 1 024 bytes.
    const command = 'ulimit -f 64; exec "$0" "$@"';
    const backUp = [join(import.meta.dirname, 'main.ts'), 'backup', '--data-dir', dataDir];
    const args = ['-c', command, process.execPath, ...backUp, '--to', join(backups, 'backup.tar.gz')];
    const { ok, output } = await runToEnd('sh', args);
    expect(output).toContain('tar ended with code');
    expect(ok).toBe(false);
    expect(readdirSync(backups)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
