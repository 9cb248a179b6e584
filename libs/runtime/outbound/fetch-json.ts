import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Destinations } from './destination.ts';

interface Limits {
  readonly destinations: Destinations;
  readonly maxBytes: number;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/**
 * GETs a JSON document from a server of strangers, with a connection of its own and no proxy of the environment, which would connect in our place.
 * Redirects are not followed.
 * @returns what it is, with the headers that say for how long
 * @throws Error that says in a sentence what went wrong
 */
export async function fetchJson(
  address: string,
  { destinations, maxBytes, signal }: Limits,
): Promise<{ readonly value: unknown; readonly headers: IncomingHttpHeaders }> {
  if (!URL.canParse(address)) throw new Error('The address is not a URL.');
  const problem = destinations.problemOf(address);
  if (problem !== undefined) throw new Error(`The address ${problem}.`);
  const url = new URL(address);
  const isPlain = url.protocol === 'http:';
  type Answer = { readonly body: Buffer; readonly headers: IncomingHttpHeaders };
  const { body, headers } = await new Promise<Answer>((resolve, reject) => {
    const request = (isPlain ? http : https).request(url, {
      agent: isPlain ? new http.Agent() : new https.Agent(),
      lookup: destinations.lookup(isPlain),
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'worktrack' },
      signal,
    });
    const fail = (error: Error) => {
      reject(error);
      request.destroy();
    };
    const failed = (cause: Error) =>
      reject(signal.aborted ? new Error('There was no whole answer in time.', { cause }) : cause);
    request.on('error', failed);
    request.on('close', () => reject(new Error('The connection ended without an answer.')));
    request.on('response', (response) => {
      if (response.statusCode !== 200) return fail(new Error(`The answer was ${response.statusCode}.`));
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) fail(new Error(`The answer has more than ${maxBytes} bytes.`));
        else chunks.push(chunk);
      });
      response.on('error', failed);
      response.on('end', () => resolve({ body: Buffer.concat(chunks), headers: response.headers }));
    });
    request.end();
  });
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)), headers };
  } catch (cause) {
    // The parser's own words quote the answer.
    throw new Error('The answer is not JSON.', { cause });
  }
}
