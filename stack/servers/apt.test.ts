import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Progress } from '../report/progress.ts';
import { installDebianPackages } from './apt.ts';
import { findSecantus, installSecantus } from './secantus.ts';

const { platform, arch } = process;
function pretend(machine: { readonly platform: string; readonly arch: string }): void {
  vi.stubEnv('PATH', '');
  for (const [name, value] of Object.entries(machine)) Object.defineProperty(process, name, { value });
}
afterEach(() => {
  vi.unstubAllEnvs();
  Object.defineProperty(process, 'platform', { value: platform });
  Object.defineProperty(process, 'arch', { value: arch });
});
const silent = new Progress({ write: () => undefined });
const servers = () => installDebianPackages(['rabbitmq-server', 'redis-server'], 'RabbitMQ and Redis', silent);

test('what cannot be installed on a machine is said with the command that does', async () => {
  pretend({ platform: 'darwin', arch: 'x64' });
  await expect(servers()).rejects.toThrow(
    'RabbitMQ and Redis cannot be found: run `brew install rabbitmq redis` once.',
  );
  await expect(installSecantus(silent)).rejects.toThrow('run `brew install mongodb/brew/mongodb-community@8.0` once.');
  expect(findSecantus()).toBeUndefined();
  pretend({ platform: 'linux', arch: 'riscv64' });
  await expect(servers()).rejects.toThrow('without apt-get');
  await expect(installSecantus(silent)).rejects.toThrow('not available for linux-riscv64: install MongoDB 8 once.');
});

// Others are asked for their password.
test.runIf(process.getuid?.() === 0)(
  'installations that are asked for at once are made one after the other',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'apt-'));
    // Like the real one, it fails if another is at work.
    const aptGet = join(folder, 'apt-get');
    writeFileSync(aptGet, `#!/bin/sh\nmkdir ${folder}/lock && sleep 0.3 && rmdir ${folder}/lock\n`);
    chmodSync(aptGet, 0o755);
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    await Promise.all([servers(), servers(), servers()]);
  },
);
