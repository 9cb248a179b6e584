import { once } from 'node:events';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { PlainServer } from '@worktrack/runtime/validation/plain-server';
import { Failure } from '../failure.ts';
import { printProblem } from '../output.ts';
import manifest from '../package.json' with { type: 'json' };
import type { Service } from '../service/service.ts';
import { asProtocolError, RemoteTools, ServiceAway, ServiceRefused } from './remote.ts';
import { FinishedUploads, UPLOAD_TOOL, uploadLocalFile } from './upload.ts';

const INFO = { name: 'worktrack', title: 'worktrack', version: manifest.version };

/** Only elicitation uses it, which is not offered here. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error('The bridge asks its client for nothing.');
  },
};

/**
 * Serves a service's tools over standard input and output, in the protocol era that the client opens with, until its end of the pipe closes.
 * It also starts without the service: a client that is started first finds the tools as soon as the service responds.
 */
export async function serveBridge(service: Service, workingDirectory: string): Promise<void> {
  const remote = new RemoteTools(service);
  const finishedUploads = new FinishedUploads();
  const ended = new AbortController();
  let tooLong = false;
  const instructions = remote.instructions(INFO, ended.signal);
  const bridge = serveStdio(
    async () => {
      const said = await instructions;
      const server = new PlainServer(INFO, {
        capabilities: { tools: {} },
        jsonSchemaValidator: NO_VALIDATOR,
        ...(said ? { instructions: said } : {}),
      });
      server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
        try {
          return { tools: await remote.list(mcpReq.signal) };
        } catch (error) {
          throw asProtocolError(error);
        }
      });
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const call = { name: params.name, arguments: params.arguments, _meta: params._meta };
        try {
          if (params.name === UPLOAD_TOOL) {
            return await remote.write(call._meta, mcpReq.signal, (key) =>
              uploadLocalFile(service, params.arguments, key, workingDirectory, finishedUploads),
            );
          }
          return await remote.call(call, mcpReq.signal);
        } catch (error) {
          return failure(error);
        }
      });
      return server;
    },
    {
      onerror: (error) => {
        if (error.message.startsWith('ReadBuffer exceeded')) tooLong = true;
        else printProblem(error.message);
      },
    },
  );
  // For readers of the client's bridge log: what is wrong, before the first tool is requested.
  remote.list(ended.signal).catch((error) => ended.signal.aborted || printProblem(error.message));
  // A message that the transport has no room for is its end, too: it pauses its input.
  await Promise.race([once(process.stdin, 'close'), once(process.stdin, 'pause')]);
  ended.abort();
  await bridge.close();
  if (tooLong) {
    throw new Failure(
      'usage',
      'A message was longer than 10 MiB. The service takes 1 MiB: attach what is longer, as a file.',
    );
  }
}

/** A message for the model, and through it for the user. Protocol errors are passed on unchanged. */
function failure(error: unknown): CallToolResult {
  if (error instanceof ServiceRefused) return refused(error.code, error.message);
  if (error instanceof ServiceAway) {
    return refused(
      'UNAVAILABLE',
      `${error.message} It is not known whether the step was done: check before you repeat it.`,
    );
  }
  throw error;
}

function refused(code: string, message: string): CallToolResult {
  printProblem(message);
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: { code, message } }) }] };
}
