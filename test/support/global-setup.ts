import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '@worktrack/stack/layout';
import type { TestProject } from 'vitest/node';
import { notedIn, VIOLATIONS_FILE } from '../mongodb/violations-file.ts';
import { TestRun } from './test-run.ts';
import { IN_CONTAINERS, TESTS_WITH_OWN_PROCESSES } from './test-stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where test files ask for what they share. */
    testRunUrl: string;
  }
}

const COMPILED = join(REPOSITORY, 'node_modules', '.cache', 'compiled-for-tests');

/**
 * What test files share lives in the process that runs them all, and starts when the first test asks for it: a run of pure tests starts
 * nothing. The files are processes of their own, and ask over HTTP.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (IN_CONTAINERS) {
    console.log(`Servers in containers. Left out, for they run server processes of their own:\n${leftOut()}`);
  }
  const files = mkdtempSync(join(tmpdir(), 'worktrack-'));
  // Inherited by the processes of the test files, and by what they start: whatever they leave behind, also when they are killed, is in there.
  process.env.TMPDIR = files;
  // Inherited, too: a third of what such a process takes is to compile the modules that those before it compiled.
  process.env.NODE_COMPILE_CACHE = COMPILED;
  process.env[VIOLATIONS_FILE] = join(files, 'violations');
  const run = new TestRun();
  const requests: Readonly<Record<string, () => Promise<unknown>>> = {
    'POST /lease': () => run.lease(),
    'POST /virtual-host': () => run.virtualHost(),
    'POST /system': () => run.sharedSystem(),
    'POST /served': () => run.buildServed(),
  };
  const desk = createServer(async (request, response) => {
    try {
      const answer = requests[`${request.method} ${request.url}`];
      if (!answer) throw new Error(`There is no ${request.method} ${request.url}.`);
      response.end(JSON.stringify((await answer()) ?? null));
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  // A run that is ended by a signal is not torn down by the runner, and must not leave anything behind either. And a browser may end after the teardown, and
  // make its folder again.
  const endAtOnce = () => {
    run.discardAtOnce();
    rmSync(files, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', endAtOnce);
  // At the first of these the runner exits a moment later. Ctrl-C arrives twice, from the terminal and through `npm test`: the second one would kill it before.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('SIGHUP', () => process.exit(129));
  project.provide('testRunUrl', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    desk.closeAllConnections();
    await run.discard();
    const refused = notedIn(join(files, 'violations'));
    if (refused.length > 0) throw new Error(`MongoDB would refuse what these commands do:\n  ${refused.join('\n  ')}`);
  };
}

function leftOut(): string {
  return TESTS_WITH_OWN_PROCESSES.map((path) => `  ${path}`).join('\n');
}
