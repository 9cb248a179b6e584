import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PNPM = 'pnpm@12.21.0';
const folder = join(import.meta.dirname, '..', 'peers');

/** Installs the libraries that libs/rpc is compared with, if missing: only the bench needs them, so they are not part of the workspace. */
export function installPeers(): void {
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'pnpm-lock.yaml')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing the peers of the bench into bench/peers/node_modules …');
  const args = ['-y', PNPM, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
  const { status, stdout } = spawnSync('npx', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (status !== 0) throw new Error(`The peers could not be installed: ${stdout}`);
  writeFileSync(stamp, wanted);
}

export const peer = (name: string) => join(folder, `${name}.side.mjs`);
