import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './processes/ports.ts';

const repository = join(import.meta.dirname, '..');
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'worktrack-clone-'));
});
afterEach(() => rmSync(clone, { recursive: true }));

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(process.execPath, [...args], {
      cwd: clone,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

describe('the first command in a fresh clone', () => {
  it('without a network says so in one line', async () => {
    mkdirSync(join(clone, 'stack'));
    for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'stack/bootstrap.mjs']) {
      copyFileSync(join(repository, file), join(clone, file));
    }
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    const { code, output } = await run(['stack/bootstrap.mjs', 'start'], {
      npm_config_registry: nobody,
      npm_config_cache: join(clone, 'cache'),
      npm_config_fetch_retries: '0',
      // None of the machine's own pnpm, only npx.
      PATH: [
        join(process.execPath, '..'),
        ...(process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules')),
      ].join(':'),
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      expect.stringContaining('Installing the dependencies'),
      expect.stringMatching(
        /^The dependencies could not be installed: the npm registry cannot be reached\. Check the network/,
      ),
    ]);
  });
});
