import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedSystem } from '../support/system.ts';
import { type KeyProxy, startKeyProxy } from './key-proxy.ts';

const RUNNER = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

let proxy: KeyProxy;
let folder: string;
beforeAll(async () => {
  const system = await sharedSystem();
  const { apiKey, projectId } = await system.newOrganization();
  proxy = await startKeyProxy(new URL(`${system.baseUrl}/mcp?projectId=${projectId}`), apiKey);
  folder = mkdtempSync(join(tmpdir(), 'worktrack-conformance-'));
});
afterAll(async () => {
  await proxy?.close();
  if (folder) rmSync(folder, { recursive: true });
});

describe.each(['2025-11-25', '2026-07-28'])('the conformance suite, %s', (version) => {
  const baseline = fileURLToPath(new URL(`./conformance-${version}.yaml`, import.meta.url));

  // The suite itself fails on a check that fails and is not in the baseline, and on one that is in it and passes.
  test('every check passes except those that the baseline excuses', async () => {
    const { code, output } = await run(['--spec-version', version, '--expected-failures', baseline]);
    expect(code, output.slice(-8_000)).toBe(0);
    expect(output).toMatch(/Total: [1-9]\d* passed/);
  });

  test('every exception has its reason', () => {
    const [, ...lines] = readFileSync(baseline, 'utf8').trimEnd().split('server:\n').join('').split('\n');
    expect(lines[0]).toMatch(/^ {2}# \S/);
    for (const line of lines) expect(line).toMatch(/^ {2}(# \S.*|- [a-z0-9-]+:[a-z0-9-]+)$/);
  });
});

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [RUNNER, 'server', '--url', proxy.url, '--suite', 'all', '-o', folder, ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { code, output };
}
