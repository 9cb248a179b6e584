import http from 'node:http';
import https from 'node:https';
import { DestinationRefused, type Destinations } from '@worktrack/runtime/outbound/destination';
import { retryAfterMs } from './retry-after.ts';

/** From the start of a request to the end of its response. */
const ANSWER_MS = 15_000;
/** How much of a response is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** How much of a response is shown. */
const SHOWN_BYTES = 1_024;
/** How long a connection is kept for the next request to its endpoint. Below what servers usually allow, so that few are closed under a request. */
const IDLE_CONNECTION_MS = 4_000;
/** Concurrent requests to a healthy endpoint: each has its connection, which stays for the next one. */
export const REQUESTS_AT_ONCE = 8;

export interface Sent {
  /** The response's, if its head arrived in time. */
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: string | null;
  /** The beginning of its body. */
  readonly answer: string | null;
  readonly durationMs: number;
  /** How long the endpoint asks not to be sent anything. */
  readonly wishMs: number | undefined;
}

type Headers = Readonly<Record<string, string | number>>;

/** Sends requests to endpoints run by strangers. */
export class Sender {
  readonly #destinations: Destinations;
  readonly #userAgent: string;
  // Agents of its own, which take no proxy from the environment: a proxy would connect in our place, and to anything.
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;

  constructor(destinations: Destinations, userAgent: string) {
    this.#destinations = destinations;
    this.#userAgent = userAgent;
    const options = {
      keepAlive: true,
      timeout: IDLE_CONNECTION_MS,
      maxFreeSockets: REQUESTS_AT_ONCE,
      scheduling: 'lifo' as const,
    };
    this.#plain = new http.Agent(options);
    this.#secure = new https.Agent(options);
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  /** POSTs JSON, unless the headers say otherwise. Never throws: what goes wrong is the outcome. Redirects are not followed. */
  async post(url: string, headers: Headers, body: string | Buffer): Promise<Sent> {
    const begunAt = performance.now();
    const problem = this.#destinations.problemOf(url);
    const outcome =
      problem === undefined
        ? await this.#exchange(new URL(url), headers, body)
        : { status: null, error: `The URL ${problem}.`, answer: null, wishMs: undefined };
    return { ...outcome, durationMs: Math.round(performance.now() - begunAt) };
  }

  #exchange(url: URL, headers: Headers, body: string | Buffer, isRepeated = false): Promise<Omit<Sent, 'durationMs'>> {
    const isPlain = url.protocol === 'http:';
    return new Promise((resolve) => {
      const request = (isPlain ? http : https).request(url, {
        method: 'POST',
        agent: isPlain ? this.#plain : this.#secure,
        lookup: this.#destinations.lookup(isPlain),
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': this.#userAgent,
          accept: '*/*',
          ...headers,
        },
      });
      const chunks: Buffer[] = [];
      let size = 0;
      let response: http.IncomingMessage | undefined;

      const finish = (error: string | null) => {
        clearTimeout(timer);
        const status = response?.statusCode ?? null;
        // The status is the answer: a later failure to read its body changes nothing.
        resolve({
          status,
          error: status === null ? error : null,
          answer: response ? beginOf(Buffer.concat(chunks)) : null,
          wishMs: retryAfterMs(response?.headers['retry-after'], Date.now()),
        });
        request.destroy();
      };
      const timer = setTimeout(() => finish(`There was no response within ${ANSWER_MS / 1000} s.`), ANSWER_MS);

      request.on('response', (answer) => {
        response = answer;
        answer.on('data', (chunk: Buffer) => {
          if (size < SHOWN_BYTES) chunks.push(chunk.subarray(0, SHOWN_BYTES));
          size += chunk.length;
          if (size >= MAX_ANSWER_BYTES) finish(null);
        });
        answer.on('error', () => finish(null));
        answer.on('end', () => finish(null));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The endpoint closed an idle connection while the request was on its way: it never received it.
        if (request.reusedSocket && !response && !isRepeated && error.code === 'ECONNRESET') {
          clearTimeout(timer);
          resolve(this.#exchange(url, headers, body, true));
        } else finish(wordsFor(error));
      });
      // After a protocol switch (101), for example, no other event is emitted.
      request.on('close', () => finish('The connection ended without a response.'));
      request.end(body);
    });
  }
}

function beginOf(body: Buffer): string {
  // A character cut in two is left out rather than shown broken; and no NUL, which not everything that displays it accepts.
  return new TextDecoder().decode(body.subarray(0, SHOWN_BYTES), { stream: true }).replaceAll('\0', '\ufffd');
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before there was a response.',
  EPIPE: 'The connection was closed before there was a response.',
  ETIMEDOUT: 'The connection could not be established in time.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are longer than 16 KiB.',
};

function wordsFor(error: NodeJS.ErrnoException): string {
  if (error instanceof DestinationRefused) return `${error.message}.`;
  const { code = '' } = error;
  const words = WORDS[code];
  if (words) return words;
  if (code.startsWith('HPE_')) return 'The answer is not HTTP.';
  // An attempt over several addresses: each of them failed.
  if (error instanceof AggregateError) return "None of the host's addresses accepted a connection.";
  return `The request failed: ${error.message || code}.`.slice(0, 300);
}
