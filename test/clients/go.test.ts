import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@worktrack/stack/processes/find-program';
import { runToEnd } from '@worktrack/stack/processes/run-to-end';
import { Progress } from '@worktrack/stack/report/progress';
import { cacheRoot } from '@worktrack/stack/servers/pip';
import { afterAll, expect, test } from 'vitest';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { sharedSystem } from '../support/system.ts';
import { expectedFlow } from './expected-flow.ts';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
const VERSION = 'v2.8.2';
/** What the client is built on. */
const RUNTIME = 'github.com/oapi-codegen/runtime@v1.6.0';
const TIMEOUT_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'worktrack-go-client-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('oapi-codegen makes a client from the description that Go compiles and vets, with the work flow that uses it, which does what it says', {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const go = findProgram('go');
  if (!go) return context.skip('There is no Go.');
  const cached = join(cacheRoot(), `oapi-codegen-${VERSION}`);
  // Without paths, Go finds again in its cache what it compiled of the same description in another folder: 10 s of CPU otherwise.
  // What runs for a second is not optimized: compiling it, with what Go brings along, takes 50 s of CPU instead of 77.
  const env = { ...process.env, GOPATH: join(cached, 'go'), GOFLAGS: "-modcacherw -trimpath '-gcflags=all=-N -l'" };
  if (!existsSync(join(cached, 'oapi-codegen'))) {
    mkdirSync(cached, { recursive: true });
    const bin = mkdtempSync(join(cached, 'bin.'));
    const installed = await new Progress(process.stderr).step('Installing oapi-codegen', () =>
      runToEnd(go, ['install', `${GENERATOR}@${VERSION}`], { ...env, GOBIN: bin }, folder),
    );
    if (installed.ok) renameSync(join(bin, 'oapi-codegen'), join(cached, 'oapi-codegen'));
    rmSync(bin, { recursive: true });
    if (!installed.ok) return context.skip(`oapi-codegen could not be fetched: ${installed.lastLine}`);
  }
  const run = (command: string, ...args: string[]) => runToEnd(command, args, env, folder);

  mkdirSync(join(folder, 'client'));
  copyFileSync(join(import.meta.dirname, 'go/main.go'), join(folder, 'main.go'));
  writeFileSync(join(folder, 'go.mod'), 'module worktrack.example/flow\n\ngo 1.24\n');
  const runtime = await run(go, 'get', RUNTIME);
  if (!runtime.ok) return context.skip(`The runtime of its clients could not be fetched: ${runtime.lastLine}`);
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument('https://worktrack.example')));
  const options = ['-generate', 'types,client', '-package', 'client', '-o', 'client/client.go', 'openapi.json'];
  expect(await run(join(cached, 'oapi-codegen'), ...options)).toMatchObject({ ok: true });
  expect(await run(go, 'vet', './...')).toMatchObject({ ok: true, output: '' });

  const system = await sharedSystem();
  const { apiKey } = await system.newOrganization();
  const { ok, output, lastLine } = await run(go, 'run', '.', system.baseUrl, apiKey, 'Typed');
  expect(ok, output).toBe(true);
  const flow = JSON.parse(lastLine) as Record<string, unknown>;
  expect(flow).toEqual(expectedFlow(flow));
});
