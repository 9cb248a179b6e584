import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPip } from '@worktrack/stack/servers/pip';
import { afterAll, expect, test } from 'vitest';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { pythonPackages } from '../support/python-packages.ts';
import { sharedSystem } from '../support/system.ts';
import { expectedFlow } from './expected-flow.ts';

const GENERATOR = 'openapi-python-client==0.29.1';
const CHECKER = 'mypy==2.4.1';
const TIMEOUT_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'worktrack-python-client-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('openapi-python-client makes a client from the description without a warning; mypy, in strict mode, finds no fault with it or with the work flow that uses it, which does what it says', {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const python = await findPip();
  if (!python) return context.skip('There is no Python with pip.');
  const fetched = await pythonPackages(python, [GENERATOR, CHECKER]).catch((error: Error) => error);
  if (fetched instanceof Error) return context.skip(fetched.message);
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument('https://worktrack.example')));
  // It would format what it made, with a program that is not installed.
  writeFileSync(join(folder, 'config.yml'), 'post_hooks: []\n');
  const options = ['--path', 'openapi.json', '--output-path', 'client', '--config', 'config.yml', '--fail-on-warning'];
  const generated = await fetched.run(['-m', 'openapi_python_client', 'generate', ...options], folder);
  expect(generated).toMatchObject({ ok: true, output: expect.not.stringContaining('Warning') });
  copyFileSync(join(import.meta.dirname, 'python/work_flow.py'), join(folder, 'client/work_flow.py'));
  // By the hash of each file: 9 s of CPU for the libraries and a client of the same description, otherwise.
  const cache = join(fetched.folder, '.mypy_cache');
  const checked = await fetched.run(['-m', 'mypy', '--strict', '--cache-dir', cache, 'client'], folder);
  expect(checked).toMatchObject({ ok: true, lastLine: expect.stringMatching(/^Success: no issues found in \d+/) });

  const system = await sharedSystem();
  const { apiKey } = await system.newOrganization();
  const { ok, output, lastLine } = await fetched.run(
    ['client/work_flow.py', system.baseUrl, apiKey, 'Typed'],
    folder,
    // For a machine that has a proxy: others than httpx ask none for an address of the machine itself.
    { NO_PROXY: '127.0.0.1' },
  );
  expect(ok, output).toBe(true);
  const flow = JSON.parse(lastLine) as Record<string, unknown>;
  expect(flow).toEqual(expectedFlow(flow));
});
