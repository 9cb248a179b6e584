import { randomUUID } from 'node:crypto';
import type { ErrorDetail } from '@worktrack/contracts/errors';
import type { Operation, Output, RawInput } from '@worktrack/contracts/operation';
import { Failure, refusalWords } from './failure.ts';
import { chooseService } from './service.ts';

const TIMEOUT_MS = 30_000;

export interface Api {
  readonly baseUrl: string;
  /** @throws Failure with the server's own words */
  call<Op extends Operation>(operation: Op, input: RawInput<Op>): Promise<Output<Op>>;
}

export function api(environment: NodeJS.ProcessEnv = process.env): Api {
  const { baseUrl, apiKey } = chooseService(environment);
  return { baseUrl, call: (operation, input) => call(baseUrl, apiKey, operation, input as Record<string, unknown>) };
}

async function call<Op extends Operation>(
  baseUrl: string,
  key: string,
  operation: Op,
  input: Record<string, unknown>,
): Promise<Output<Op>> {
  const { method, url, body } = requestOf(baseUrl, operation, input);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const why = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    throw new Failure(
      'unreachable',
      `Nothing answers at ${baseUrl} (${why || 'no connection'}). Start the stack with \`npm start\`, or set WORKTRACK_URL.`,
    );
  }
  return outcomeOf(baseUrl, response) as Promise<Output<Op>>;
}

/** Fills the placeholders of the path; what is left of the input goes into the query of a GET or a DELETE, and into the body of anything else. */
export function requestOf(
  baseUrl: string,
  operation: Operation,
  input: Record<string, unknown>,
): { readonly method: string; readonly url: URL; readonly body: Record<string, unknown> | undefined } {
  if (!operation.rest) throw new Error(`${operation.name} has no REST route.`);
  const [method, template] = operation.rest.split(' ') as [string, string];
  const left = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(left[name]);
    delete left[name];
    return encodeURIComponent(value);
  });
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  if (method === 'GET' || method === 'DELETE') {
    for (const [name, value] of Object.entries(left)) url.searchParams.set(name, String(value));
    return { method, url, body: undefined };
  }
  return { method, url, body: left };
}

interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly ErrorDetail[];
    readonly requestId: string;
  };
}

async function outcomeOf(baseUrl: string, response: Response): Promise<unknown> {
  const envelope = (await response.json().catch(() => undefined)) as Envelope | undefined;
  if (typeof envelope?.success !== 'boolean') {
    throw new Failure(
      'unreachable',
      `${baseUrl} answers, but not as worktrack does (HTTP ${response.status}). Check WORKTRACK_URL.`,
    );
  }
  if (envelope.success) return envelope.data;
  const { code, message, details, requestId } = envelope.error as NonNullable<Envelope['error']>;
  throw new Failure(
    response.status >= 500 ? 'unreachable' : 'refused',
    `${refusalWords(message, details)} (${code}, request ${requestId})`,
  );
}
