import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { TestServers } from './test-servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where test files ask for what they share. */
    testServersUrl: string;
  }
}

/**
 * What test files share lives in the process that runs them all: three servers, started when the first test asks for them.
 * So a run of pure tests starts nothing. The files, each a process of its own, ask over HTTP: `POST /lease`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = new TestServers();
  const desk = createServer(async (request, response) => {
    try {
      if (request.method !== 'POST' || request.url !== '/lease')
        throw new Error(`There is no ${request.method} ${request.url}.`);
      response.end(JSON.stringify(await servers.lease()));
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  project.provide('testServersUrl', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    desk.closeAllConnections();
    await servers.discard();
  };
}
