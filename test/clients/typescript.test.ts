import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from '@worktrack/stack/layout';
import { runToEnd } from '@worktrack/stack/processes/run-to-end';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { expectedFlow } from './expected-flow.ts';

const FOLDER = join(import.meta.dirname, 'typescript');
const TYPES = join(FOLDER, 'api.ts');
let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
  const document = await (await fetch(`${system.baseUrl}/openapi.json`)).text();
  writeFileSync(TYPES, astToString(await openapiTypescript(document)));
});
afterAll(() => rmSync(TYPES, { force: true }));

test('the types that openapi-typescript makes from the description compile strictly, and so does the work flow written with them', async () => {
  const compiler = join(REPOSITORY, 'node_modules/.bin/tsc');
  expect(await runToEnd(compiler, ['-p', FOLDER])).toEqual({ ok: true, output: '', lastLine: '' });
});

test('that work flow does what it says', async () => {
  // Named by a variable: its types exist only once they are generated.
  const file = pathToFileURL(join(FOLDER, 'work-flow.ts')).href;
  const { workFlow } = (await import(file)) as { workFlow(...args: string[]): Promise<Record<string, unknown>> };
  const flow = await workFlow(system.baseUrl, organization.apiKey, 'Typed');
  expect(flow).toEqual({ ...expectedFlow(flow), refused: 'VALIDATION_FAILED' });
  expect((await organization.call('GET', `/api/projects/${flow.projectId}`)).status).toBe(404);
});
